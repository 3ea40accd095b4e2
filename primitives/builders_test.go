package primitives_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/rolebinding"
	"projection.sh/operator/primitives/service"
)

var errBoom = errors.New("boom")

// labels returns a mutation that sets the label.
func labels(key, value string) feature.Mutation[mutator] {
	return feature.Mutation[mutator]{Name: key, Mutate: func(m mutator) error {
		m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error { e.EnsureLabel(key, value); return nil })
		return nil
	}}
}

func off(m feature.Mutation[mutator]) feature.Mutation[mutator] {
	m.Feature = feature.NewBooleanGate(false)
	return m
}

func build(t *testing.T, k kind, with options) common {
	t.Helper()
	built, err := k.build(k.object(), with)
	require.NoError(t, err)
	return built
}

func TestBuild(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		clusterScoped := !strings.Contains(k.identity, "/ns/")
		assert.Equal(t, k.identity, build(t, k, options{}).Identity())
		for name, test := range map[string]struct {
			object func() client.Object
			with   options
			want   string
		}{
			"nothing": {func() client.Object { return nil }, options{}, "object cannot be nil"},
			"no name": {func() client.Object { o := k.object(); o.SetName(""); return o }, options{}, "object name cannot be empty"},
			"another scope": {
				func() client.Object {
					o := k.object()
					o.SetNamespace(map[bool]string{true: "ns", false: ""}[clusterScoped])
					return o
				},
				options{},
				map[bool]string{true: "cluster-scoped object must not have a namespace", false: "object namespace cannot be empty"}[clusterScoped],
			},
			"a name twice": {
				k.object, options{mutations: []feature.Mutation[mutator]{labels("a", "1"), off(labels("a", "2"))}},
				`duplicate mutation name "a": mutation names must be unique within a resource`,
			},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := k.build(test.object(), test.with)
				require.EqualError(t, err, test.want)
			})
		}
	})
}

func TestGuardsAndExtractors(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		blocked := concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: "waiting"}
		var extracted string
		with := options{
			guard: func(o client.Object) (concepts.GuardStatusWithReason, error) {
				o.SetName("changed")
				return blocked, errBoom
			},
			extractor: func(o client.Object) error {
				extracted = o.GetName()
				o.SetName("changed")
				return errBoom
			},
		}
		built := build(t, k, with)
		status, err := built.GuardStatus()
		require.ErrorIs(t, err, errBoom)
		assert.Equal(t, blocked, status)
		require.ErrorIs(t, built.ExtractData(), errBoom)
		assert.Equal(t, "name", extracted)
		object, err := built.Object()
		require.NoError(t, err)
		assert.Equal(t, k.object(), object, "both get copies")

		with.clearsGuard = true
		status, err = build(t, k, with).GuardStatus()
		require.NoError(t, err)
		assert.Equal(t, concepts.GuardStatusUnblocked, status.Status)
	})
}

func TestPreviewLeavesNoTrace(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		built := build(t, k, options{mutations: []feature.Mutation[mutator]{labels("a", "1"), off(labels("b", "2"))}})
		for range 2 {
			preview, err := built.Preview()
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"a": "1"}, preview.GetLabels())
			object, err := built.Object()
			require.NoError(t, err)
			assert.Equal(t, k.object(), object)
		}
		object := k.object()
		require.NoError(t, built.Mutate(object))
		preview, err := build(t, k, options{mutations: []feature.Mutation[mutator]{labels("a", "1")}}).Preview()
		require.NoError(t, err)
		assert.Equal(t, preview, object, "a preview is what would be applied")
		assert.Equal(t, []string{"a", "b"}, built.RegisteredMutations())
		firing, err := built.FiringSet()
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, firing)
	})
}

func TestObservations(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		built := build(t, k, options{})
		observed := k.object()
		observed.SetResourceVersion("1")
		require.NoError(t, built.RecordObservation(observed))
		object, err := built.Object()
		require.NoError(t, err)
		assert.Equal(t, observed, object)
		require.ErrorContains(t, built.RecordObservation(&corev1.Namespace{}), "failed to record observation: expected object of type ")
	})
}

func TestStatusHandlersAreRequired(t *testing.T) {
	kinds := map[string]kind{"deployment": workloads()[0], "job": tasks()[0], "service": integrations()[0], "pv": volumes()[0]}
	_, err := deployment.NewBuilder(objectOf[*appsv1.Deployment](kinds["deployment"])).WithCustomConvergeStatus(nil).Build()
	require.EqualError(t, err, "converging status handler is required")
	_, err = job.NewBuilder(objectOf[*batchv1.Job](kinds["job"])).WithCustomConvergeStatus(nil).Build()
	require.EqualError(t, err, "converging status handler is required")
	_, err = service.NewBuilder(objectOf[*corev1.Service](kinds["service"])).WithCustomOperationalStatus(nil).Build()
	require.EqualError(t, err, "operational status handler is required")
	_, err = pv.NewBuilder(objectOf[*corev1.PersistentVolume](kinds["pv"])).WithCustomOperationalStatus(nil).Build()
	require.EqualError(t, err, "operational status handler is required")
}

func objectOf[P client.Object](k kind) P { return k.object().(P) }

func TestRoleRefHasToBeComplete(t *testing.T) {
	const want = "roleRef must have non-empty APIGroup, Kind, and Name"
	for _, reference := range []rbacv1.RoleRef{
		{Kind: "Role", Name: "a"}, {APIGroup: rbacv1.GroupName, Name: "a"}, {APIGroup: rbacv1.GroupName, Kind: "Role"},
	} {
		binding := &rbacv1.RoleBinding{RoleRef: reference}
		binding.Name, binding.Namespace = "name", "ns"
		_, err := rolebinding.NewBuilder(binding).Build()
		require.EqualError(t, err, want)
		cluster := &rbacv1.ClusterRoleBinding{RoleRef: reference}
		cluster.Name = "name"
		_, err = clusterrolebinding.NewBuilder(cluster).Build()
		require.EqualError(t, err, want)
	}
	_, err := rolebinding.NewBuilder(&rbacv1.RoleBinding{}).Build()
	require.EqualError(t, err, "object name cannot be empty", "the common faults come first")
}
