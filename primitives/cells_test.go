package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/clusterrolebinding"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
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
	"projection.sh/operator/primitives/unstructured/integration"
	"projection.sh/operator/primitives/unstructured/static"
	"projection.sh/operator/primitives/unstructured/task"
	"projection.sh/operator/primitives/unstructured/workload"
)

// cellBuilder is what the builders of all kinds offer for data.
type cellBuilder[B, R any] interface {
	WithDataGuard(cells ...concepts.DataCell) B
	WithOptionalData(cells ...concepts.DataCell) B
	WithMetricsIdentifier(identifier string) B
	Build() (R, error)
}

// cellResource is what the resources of all kinds can say of data.
type cellResource interface {
	common
	concepts.DataProducer
	concepts.DataConsumer
	concepts.MetricsIdentifiable
}

// declarations are what a resource is built with.
type declarations struct {
	into              *concepts.Data[string]
	extract           func(client.Object) (string, error)
	guarded, optional concepts.DataCell
	identifier        string
}

// cellsOf returns a function that builds an object "name" of the kind.
func cellsOf[K any, P interface {
	*K
	client.Object
}, B cellBuilder[B, R], R cellResource](
	newBuilder func(P) B, extractInto func(B, *concepts.Data[string], func(K) (string, error)), namespace string,
) func(declarations) (cellResource, error) {
	return func(with declarations) (cellResource, error) {
		object := P(new(K))
		object.SetName("name")
		object.SetNamespace(namespace)
		complete(object)
		builder := newBuilder(object).
			WithDataGuard(with.guarded).
			WithOptionalData(with.optional).
			WithMetricsIdentifier(with.identifier)
		var extract func(K) (string, error)
		if with.extract != nil {
			extract = func(object K) (string, error) { return with.extract(P(&object)) }
		}
		extractInto(builder, with.into, extract)
		return builder.Build()
	}
}

// cellsOfKinds has each of the 21 kinds, and objects without a Go type.
func cellsOfKinds() map[string]func(declarations) (cellResource, error) {
	return map[string]func(declarations) (cellResource, error){
		"clusterrole":        cellsOf(clusterrole.NewBuilder, clusterrole.ExtractInto[string], ""),
		"clusterrolebinding": cellsOf(clusterrolebinding.NewBuilder, clusterrolebinding.ExtractInto[string], ""),
		"configmap":          cellsOf(configmap.NewBuilder, configmap.ExtractInto[string], "ns"),
		"cronjob":            cellsOf(cronjob.NewBuilder, cronjob.ExtractInto[string], "ns"),
		"daemonset":          cellsOf(daemonset.NewBuilder, daemonset.ExtractInto[string], "ns"),
		"deployment":         cellsOf(deployment.NewBuilder, deployment.ExtractInto[string], "ns"),
		"hpa":                cellsOf(hpa.NewBuilder, hpa.ExtractInto[string], "ns"),
		"ingress":            cellsOf(ingress.NewBuilder, ingress.ExtractInto[string], "ns"),
		"job":                cellsOf(job.NewBuilder, job.ExtractInto[string], "ns"),
		"networkpolicy":      cellsOf(networkpolicy.NewBuilder, networkpolicy.ExtractInto[string], "ns"),
		"pdb":                cellsOf(pdb.NewBuilder, pdb.ExtractInto[string], "ns"),
		"pod":                cellsOf(pod.NewBuilder, pod.ExtractInto[string], "ns"),
		"pv":                 cellsOf(pv.NewBuilder, pv.ExtractInto[string], ""),
		"pvc":                cellsOf(pvc.NewBuilder, pvc.ExtractInto[string], "ns"),
		"replicaset":         cellsOf(replicaset.NewBuilder, replicaset.ExtractInto[string], "ns"),
		"role":               cellsOf(role.NewBuilder, role.ExtractInto[string], "ns"),
		"rolebinding":        cellsOf(rolebinding.NewBuilder, rolebinding.ExtractInto[string], "ns"),
		"secret":             cellsOf(secret.NewBuilder, secret.ExtractInto[string], "ns"),
		"service":            cellsOf(service.NewBuilder, service.ExtractInto[string], "ns"),
		"serviceaccount":     cellsOf(serviceaccount.NewBuilder, serviceaccount.ExtractInto[string], "ns"),
		"statefulset":        cellsOf(statefulset.NewBuilder, statefulset.ExtractInto[string], "ns"),

		"unstructured static":      cellsOf(static.NewBuilder, static.ExtractInto[string], "ns"),
		"unstructured workload":    cellsOf(newWorkload, workload.ExtractInto[string], "ns"),
		"unstructured integration": cellsOf(newIntegration, integration.ExtractInto[string], "ns"),
		"unstructured task":        cellsOf(newTask, task.ExtractInto[string], "ns"),
	}
}

func TestDeclaredData(t *testing.T) {
	kinds := cellsOfKinds()
	require.Len(t, kinds, 21+4)
	for name, build := range kinds {
		t.Run(name, func(t *testing.T) {
			cell, guarded, optional := concepts.NewData[string]("cell"), concepts.NewData[int]("guarded"), concepts.NewData[int]("optional")
			with := declarations{
				into: cell, guarded: guarded, optional: optional, identifier: "main",
				extract: func(object client.Object) (string, error) {
					extracted := object.GetName()
					object.SetName("changed")
					return extracted, nil
				},
			}
			resource, err := build(with)
			require.NoError(t, err)

			assert.Equal(t, []concepts.DataCell{cell}, resource.ProducedData())
			assert.Equal(t, []concepts.DataConsumption{{Cell: guarded}, {Cell: optional, Optional: true}}, resource.ConsumedData())
			assert.Equal(t, "main", resource.MetricsIdentifier())

			status, err := resource.GuardStatus()
			require.NoError(t, err)
			assert.Equal(t, concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: `waiting for data "guarded"`}, status)
			guarded.Set(1)
			status, err = resource.GuardStatus()
			require.NoError(t, err)
			assert.Equal(t, concepts.GuardStatusUnblocked, status.Status)

			require.NoError(t, resource.ExtractData())
			value, err := cell.Require()
			require.NoError(t, err)
			assert.Equal(t, "name", value)
			object, err := resource.Object()
			require.NoError(t, err)
			assert.Equal(t, "name", object.GetName(), "the function gets a copy")

			with.extract = nil
			_, err = build(with)
			require.EqualError(t, err, `declared data extraction into "cell" requires a non-nil extraction function`)
			with.into = nil
			_, err = build(with)
			require.EqualError(t, err, "declared data extraction requires a non-nil cell")
		})
	}
}
