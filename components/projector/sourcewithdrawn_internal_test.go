package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

func TestCopyIsWithdrawnWithItsSource(t *testing.T) {
	consents := func(value string) map[string]string { return map[string]string{v1.AnnotationProjectable: value} }
	tests := map[string]struct {
		mode        policy.Mode
		event       apiwatch.EventType
		annotations map[string]string
		version     string
		withdrawn   bool
	}{
		"edited":                                 {policy.Allowlist, apiwatch.Modified, consents("true"), "8", false},
		"opted out":                              {policy.Allowlist, apiwatch.Modified, consents("false"), "8", true},
		"opted out, permissive":                  {policy.Permissive, apiwatch.Modified, consents("false"), "8", true},
		"without its consent":                    {policy.Allowlist, apiwatch.Modified, nil, "8", true},
		"without its consent, permissive":        {policy.Permissive, apiwatch.Modified, nil, "8", false},
		"deleted":                                {policy.Allowlist, apiwatch.Deleted, consents("true"), "8", true},
		"opted out before it was read":           {policy.Allowlist, apiwatch.Modified, consents("false"), "6", false},
		"deleted and created before it was read": {policy.Allowlist, apiwatch.Deleted, consents("true"), "6", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			events := apiwatch.NewRaceFreeFake()
			f.member.Sources = watch.NewSources(watch.NewObjects(t.Context(), metadataWith(events)), func(watch.RuleKey, watch.Trigger, time.Time) {})
			f.planner.Mode = test.mode
			f.hub.Client = &behind{cached: rule}
			p := f.scope(rule)
			read := &unstructured.Unstructured{}
			read.SetResourceVersion("7")
			p.named().source = read
			require.NoError(t, f.member.Sources.Watch(t.Context(), p.key, p.kind.GroupVersionResource(), p.named().sourceKey()))
			assert.False(t, p.named().sourceWithdrawn(), "there was no event yet")

			events.Action(test.event, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
				Namespace: p.named().sourceKey().Namespace, Name: p.named().sourceKey().Name, ResourceVersion: test.version, Annotations: test.annotations,
			}})
			require.Eventually(t, func() bool {
				return f.member.Sources.LastEvent(p.kind.GroupVersionResource(), p.named().sourceKey()).ResourceVersion == test.version
			}, time.Minute, time.Millisecond)
			assert.Equal(t, test.withdrawn, p.named().sourceWithdrawn())
			assert.Equal(t, test.withdrawn, p.local.withdrawn(t.Context(), p.named())("a"), "the guard asks")
		})
	}
}

// TestCopyIsWithdrawnWithItsPublicKeys has a rule that copies keys of a Secret as a ConfigMap, which the owner of the Secret no longer wants.
func TestCopyIsWithdrawnWithItsPublicKeys(t *testing.T) {
	for public, withdrawn := range map[string]bool{"ca.crt": false, "tls.crt, ca.crt": false, "tls.crt": true, "": true} {
		f, rule := newFixture(t), newRule()
		rule.Spec.Source.Kind = "Secret"
		rule.Spec.Destination.Kind = "ConfigMap"
		rule.Spec.Content.Data.Include = []string{"ca.crt"}
		events := apiwatch.NewRaceFreeFake()
		f.member.Sources = watch.NewSources(watch.NewObjects(t.Context(), metadataWith(events)), func(watch.RuleKey, watch.Trigger, time.Time) {})
		f.planner.Mode = policy.Permissive
		f.hub.Client = &behind{cached: rule}
		p := f.scope(rule)
		p.named().source = &unstructured.Unstructured{}
		p.named().source.SetResourceVersion("7")
		require.NoError(t, f.member.Sources.Watch(t.Context(), p.key, p.kind.GroupVersionResource(), p.named().sourceKey()))
		events.Action(apiwatch.Modified, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: p.named().sourceKey().Namespace, Name: p.named().sourceKey().Name, ResourceVersion: "8", Annotations: map[string]string{v1.AnnotationPublicKeys: public},
		}})
		require.Eventually(t, func() bool {
			return f.member.Sources.LastEvent(p.kind.GroupVersionResource(), p.named().sourceKey()).ResourceVersion == "8"
		}, time.Minute, time.Millisecond)
		assert.Equal(t, withdrawn, p.named().sourceWithdrawn(), public)
	}
}

// metadataWith returns a client whose watch sends the events.
func metadataWith(events apiwatch.Interface) *metadatafake.FakeMetadataClient {
	c := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
	c.PrependReactor("list", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, &metav1.List{ListMeta: metav1.ListMeta{ResourceVersion: "5"}}, nil
	})
	c.PrependWatchReactor("*", clienttesting.DefaultWatchReactor(events, nil))
	return c
}
