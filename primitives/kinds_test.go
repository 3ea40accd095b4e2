package primitives_test

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/ingress"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/networkpolicy"
	"projection.sh/operator/primitives/pdb"
	"projection.sh/operator/primitives/pod"
	"projection.sh/operator/primitives/pv"
	"projection.sh/operator/primitives/pvc"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/role"
	"projection.sh/operator/primitives/rolebinding"
	"projection.sh/operator/primitives/secret"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/serviceaccount"
	"projection.sh/operator/primitives/statefulset"
)

// mutator is what the mutators of all kinds can do.
type mutator interface {
	generic.FeatureMutator
	editors.ObjectMutator
}

// common is what the resources of all kinds can do.
type common interface {
	component.Resource
	concepts.Guardable
	concepts.DataExtractable
	concepts.ObservationRecorder
	concepts.Previewable
	concepts.MutationInspector
}

// builder is what the builders of all kinds can do.
type builder[B, K, M, R any] interface {
	WithMutation(ms ...feature.Mutation[M]) B
	WithGuard(guard func(K) (concepts.GuardStatusWithReason, error)) B
	WithDataExtractor(extractor func(K) error) B
	Build() (R, error)
}

// options is what a resource is built with. A guard and an extractor get a pointer to the value that they were given.
type options struct {
	mutations   []feature.Mutation[mutator]
	guard       func(client.Object) (concepts.GuardStatusWithReason, error)
	clearsGuard bool
	extractor   func(client.Object) error
}

// kind is a package of a kind, for tests that all of them pass.
type kind struct {
	identity   string // of an object "name" in the namespace "ns"
	object     func() client.Object
	build      func(object client.Object, with options) (common, error)
	newMutator func(object client.Object) mutator
}

func kindOf[K any, P interface {
	*K
	client.Object
}, M mutator, B builder[B, K, M, R], R common](identity string, newBuilder func(P) B, newMutator func(P) M) kind {
	return kind{
		identity: identity,
		object: func() client.Object {
			object := P(new(K))
			object.SetName("name")
			if strings.Contains(identity, "/ns/") {
				object.SetNamespace("ns")
			}
			complete(object)
			return object
		},
		newMutator: func(object client.Object) mutator { return newMutator(object.(P)) },
		build: func(object client.Object, with options) (common, error) {
			typed, _ := object.(P)
			b := newBuilder(typed).WithMutation().WithDataExtractor(nil)
			for _, m := range with.mutations {
				b = b.WithMutation(feature.Mutation[M]{Name: m.Name, Feature: m.Feature, Mutate: func(to M) error { return m.Mutate(to) }})
			}
			if with.guard != nil {
				b = b.WithGuard(func(object K) (concepts.GuardStatusWithReason, error) { return with.guard(P(&object)) })
			}
			if with.clearsGuard {
				b = b.WithGuard(nil)
			}
			if with.extractor != nil {
				b = b.WithDataExtractor(func(object K) error { return with.extractor(P(&object)) })
			}
			return b.Build()
		},
	}
}

// complete fills in what an object of the kind cannot do without.
func complete(object client.Object) {
	reference := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"}
	switch object := object.(type) {
	case *rbacv1.RoleBinding:
		object.RoleRef = reference
	case *rbacv1.ClusterRoleBinding:
		object.RoleRef = reference
	case *uns.Unstructured:
		object.SetAPIVersion("example.com/v1")
		object.SetKind("Widget")
	}
}

const rbac = "rbac.authorization.k8s.io/v1/"

func statics() []kind {
	return []kind{
		kindOf("v1/ConfigMap/ns/name", configmap.NewBuilder, configmap.NewMutator),
		kindOf("v1/Secret/ns/name", secret.NewBuilder, secret.NewMutator),
		kindOf("v1/ServiceAccount/ns/name", serviceaccount.NewBuilder, serviceaccount.NewMutator),
		kindOf("networking.k8s.io/v1/NetworkPolicy/ns/name", networkpolicy.NewBuilder, networkpolicy.NewMutator),
		kindOf("policy/v1/PodDisruptionBudget/ns/name", pdb.NewBuilder, pdb.NewMutator),
		kindOf(rbac+"Role/ns/name", role.NewBuilder, role.NewMutator),
		kindOf(rbac+"ClusterRole/name", clusterrole.NewBuilder, clusterrole.NewMutator),
		kindOf(rbac+"RoleBinding/ns/name", rolebinding.NewBuilder, rolebinding.NewMutator),
		kindOf(rbac+"ClusterRoleBinding/name", clusterrolebinding.NewBuilder, clusterrolebinding.NewMutator),
	}
}

func workloads() []kind {
	return []kind{
		kindOf("apps/v1/Deployment/ns/name", deployment.NewBuilder, deployment.NewMutator),
		kindOf("apps/v1/StatefulSet/ns/name", statefulset.NewBuilder, statefulset.NewMutator),
		kindOf("apps/v1/ReplicaSet/ns/name", replicaset.NewBuilder, replicaset.NewMutator),
		kindOf("apps/v1/DaemonSet/ns/name", daemonset.NewBuilder, daemonset.NewMutator),
		kindOf("v1/Pod/ns/name", pod.NewBuilder, pod.NewMutator),
	}
}

func tasks() []kind {
	return []kind{kindOf("batch/v1/Job/ns/name", job.NewBuilder, job.NewMutator)}
}

func integrations() []kind {
	return []kind{
		kindOf("v1/Service/ns/name", service.NewBuilder, service.NewMutator),
		kindOf("networking.k8s.io/v1/Ingress/ns/name", ingress.NewBuilder, ingress.NewMutator),
		kindOf("batch/v1/CronJob/ns/name", cronjob.NewBuilder, cronjob.NewMutator),
		kindOf("autoscaling/v2/HorizontalPodAutoscaler/ns/name", hpa.NewBuilder, hpa.NewMutator),
		kindOf("v1/PersistentVolumeClaim/ns/name", pvc.NewBuilder, pvc.NewMutator),
	}
}

func volumes() []kind {
	return []kind{kindOf("v1/PersistentVolume/name", pv.NewBuilder, pv.NewMutator)}
}

// forEach calls a function with each of the 21 kinds, and with objects without a Go type.
func forEach(do func(k kind)) {
	for _, kinds := range [][]kind{statics(), workloads(), tasks(), integrations(), volumes(), untyped()} {
		for _, k := range kinds {
			do(k)
		}
	}
}

// forEachKind runs a test for each kind.
func forEachKind(t *testing.T, test func(t *testing.T, k kind)) {
	t.Helper()
	forEach(func(k kind) { t.Run(k.identity, func(t *testing.T) { test(t, k) }) })
}
