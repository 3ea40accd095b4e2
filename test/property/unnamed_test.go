package property_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// TestOptOutReachesACopyWithoutNameOrLabel has a copy whose namespace has lost the label that names it, lose its own label after a restart.
// Then the owner of the source opts out.
func TestOptOutReachesACopyWithoutNameOrLabel(t *testing.T) {
	t.Parallel()
	for name, expression := range map[string]string{"failing": "'team-' + target.labels['team']", "named": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newStage(t, 0x4100+uint64(len(name)), "n1", "n2")
			d.interpose()
			d.start()
			home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("n2")}}
			require.NoError(t, d.patch(home, `{"metadata":{"labels":{"team":"a"}}}`))
			d.source("n1", "a")
			rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n2"), Name: "p1", Labels: d.labels()}}
			rule.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name("n1"), Name: "a"}
			if rule.Spec.Destination.NameExpression = expression; expression == "" {
				rule.Spec.Destination.Name = "team-a"
			}
			require.NoError(t, d.client.Create(t.Context(), rule))
			d.silent()
			require.Equal(t, 2, d.objects())
			require.NoError(t, d.patch(home, `{"metadata":{"labels":{"team":null}}}`))
			d.silent()
			d.restart()
			d.start()
			d.silent()
			copied := d.at(configMap, "n2", "team-a")
			require.NoError(t, d.patch(copied, `{"metadata":{"labels":{"`+v1.AnnotationOwnedByProjection+`-uid":null}}}`))
			d.silent()
			require.NoError(t, d.patch(d.at(configMap, "n1", "a"), `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`))
			assert.Eventually(t, func() bool { return d.objects() == 1 }, endOfCircle, interval, "the copy outlives the consent")
			assert.EventuallyWithT(t, func(t *assert.CollectT) { // the status is written after the copy is deleted
				require.NoError(t, d.client.Get(d.t.Context(), client.ObjectKeyFromObject(rule), rule))
				assert.Contains(t, meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady).Message, "1 copy was removed")
			}, endOfCircle, interval)
		})
	}
}
