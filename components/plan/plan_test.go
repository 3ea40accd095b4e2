package plan_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/mutations"
)

// newPlanner returns a planner of Projections whose requests are those of the user, and how it reads sources.
func newPlanner(t *testing.T, user string) (*plan.Planner[*v1.Projection], plan.Read) {
	t.Helper()
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	client, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	objects := dynamic.NewForConfigOrDie(config)
	reader := source.NewReader(objects, metadata.NewForConfigOrDie(config))
	return &plan.Planner[*v1.Projection]{
			Kind: owner.Projection,
			Spec: func(rule *v1.Projection) owner.Spec {
				return owner.Spec{
					Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay(),
				}
			},
			Targets: func(_ context.Context, rule *v1.Projection) ([]plan.Target, error) {
				return []plan.Target{{Namespace: rule.Namespace}}, nil
			},
			Resolver:      source.NewResolver(client, source.Registry{Metadata: metadata.NewForConfigOrDie(config), Objects: objects}, source.RulesCluster),
			Mode:          policy.Allowlist,
			ServerVersion: func() string { return "v1.36.0" },
			Requeue:       time.Minute,
		}, func(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
			return reader.Read(ctx, impersonate.Operator(), kind, ref, "")
		}
}

// newSource creates a ConfigMap with that annotation of consent, and returns a rule that copies it.
func newSource(t *testing.T, consent string) *v1.Projection {
	t.Helper()
	client := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1()
	namespace, err := client.Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "plan-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.ConfigMaps(namespace.Name).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "settings", Annotations: map[string]string{v1.AnnotationProjectable: consent}},
		Data:       map[string]string{"color": "red"},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: "away", Name: "rule", UID: "u-1"},
		Spec:       v1.ProjectionSpec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: namespace.Name, Name: "settings"}},
	}
}

func TestPlanOfARule(t *testing.T) {
	planner, read := newPlanner(t, "planner")
	rule := newSource(t, "true")
	mark, err := cluster.AuditMark()
	require.NoError(t, err)
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	assert.Equal(t, "configmaps", planned.Kind.Resource)
	assert.Zero(t, planned.Problem)
	require.Len(t, planned.Targets, 1)
	assert.Equal(t, "away", planned.Targets[0].Namespace)
	copied, err := planned.Targets[0].Renderer.Copy(destination.Target{Namespace: "away"})
	require.NoError(t, err)
	assert.NotEmpty(t, copied.Hash)
	firing, err := copied.FiringSet()
	require.NoError(t, err)
	assert.Contains(t, firing, mutations.StampOwnership)
	assert.NotContains(t, firing, mutations.StripService)

	requests, err := cluster.RequestsSince(mark, "planner")
	require.NoError(t, err)
	require.NotEmpty(t, requests)
	for _, request := range requests {
		assert.Equal(t, "get", request.Verb, "a plan only reads: %s", request)
	}
}

func TestRuleThatWantsNoCopy(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-nothing")
	missing := newSource(t, "true")
	missing.Spec.Source.Name = "nobody"
	deleted := missing.DeepCopy()
	deleted.Status.AppliedFields = "1"
	for reason, rule := range map[string]*v1.Projection{
		v1.ReasonSourceOptedOut:       newSource(t, "false"),
		v1.ReasonSourceNotProjectable: newSource(t, "maybe"),
		v1.ReasonSourceNotFound:       missing,
		v1.ReasonSourceDeleted:        deleted,
	} {
		planned, err := planner.Make(t.Context(), rule, read)
		require.NoError(t, err, reason)
		assert.Equal(t, reason, planned.Problem.Reason)
		assert.Empty(t, planned.Targets, reason)
	}
}

func TestWhatIsNotKnownIsAnError(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-errors")
	unknown := newSource(t, "true")
	unknown.Spec.Source.Kind = "Nothing"
	failing := func(context.Context, source.Kind, v1.SourceRef) (*unstructured.Unstructured, error) {
		return nil, errors.New("no connection")
	}
	tests := map[string]struct {
		rule   *v1.Projection
		read   plan.Read
		reason string
		retry  bool
	}{
		"a kind that is not served": {unknown, read, v1.ReasonSourceResolutionFailed, false},
		"a read that fails":         {newSource(t, "true"), failing, v1.ReasonSourceFetchFailed, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := planner.Make(t.Context(), test.rule, test.read)
			var stopped *plan.Error
			require.ErrorAs(t, err, &stopped)
			assert.Equal(t, v1.ConditionSourceResolved, stopped.Condition)
			assert.Equal(t, test.reason, stopped.Reason)
			assert.Equal(t, test.retry, stopped.Retry)
		})
	}
}
