package component

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ReconcileContext is what a component needs to reconcile.
type ReconcileContext struct {
	// Client reads and writes. Its RESTMapper must not be nil.
	Client client.Client
	// Scheme knows the types of the owner and of typed resources. Nil means the scheme of Client.
	Scheme *runtime.Scheme
	// EventRecorder gets an event, regarding the owner, for every resource that is created, updated, deleted or
	// orphaned. Nil means no events.
	EventRecorder events.EventRecorder
	// Metrics counts what is applied, and gets the conditions of the owner whenever FlushStatus has written them. Nil means
	// no metrics. Package metrics has one for Prometheus.
	Metrics MetricsRecorder
	// Owner is the custom resource that the component belongs to.
	Owner OperatorCRD
	// APIReader reads what must not be stale: foreign controllers, objects to delete, recreate, finalize, sweep or orphan,
	// and the owner after a conflict. Nil means Client. If that reads from a cache, a deletion right after an apply
	// conflicts, until the next reconcile; and if the cache strips managed fields, OnlyIfOwned, Finalize and Sweep do not
	// recognise the fields of the owner.
	APIReader client.Reader
	// Applier writes the managed resources. Nil means a read and a forced server-side apply with Client.
	Applier Applier
}

// withDefaults replaces what is optional and missing.
func (rec ReconcileContext) withDefaults() ReconcileContext {
	if rec.Scheme == nil {
		rec.Scheme = rec.Client.Scheme()
	}
	if rec.APIReader == nil {
		rec.APIReader = rec.Client
	}
	if rec.Applier == nil {
		rec.Applier = NewForcedApplier(rec.Client, nil)
	}
	return rec
}
