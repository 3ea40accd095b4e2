package remotecluster

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

const (
	// defaultHome is the namespace of the lease unless the RemoteCluster names another one.
	defaultHome = "projection-system"
	// shortID is how many characters of the uid of a hub are in the name of its lease.
	shortID = 12
)

// Presence returns the lease of this operator in the cluster. It is the witness for watches there.
func (m *Member) Presence() *fleet.Presence { return m.presence }

// Writable returns nil if this process may write to the cluster, as far as its lease and the API server there are concerned; or why it may not.
func (m *Member) Writable() error { return m.presence.Writable() }

// newPresence returns the presence in the cluster. It asks for nothing yet.
func (m *Member) newPresence(shared *shared) (*fleet.Presence, error) {
	client, err := coordinationv1client.NewForConfig(m.Config())
	if err != nil {
		return nil, err
	}
	return fleet.NewPresence(fleet.PresenceOptions{
		Leases: client.Leases(m.home), Namespace: m.home, Name: leaseOf(shared.hub), Version: m.Version, Holder: shared.holder,
		Gate: m.gate, Clock: shared.clock, Changed: m.changed,
	}), nil
}

// attend has the operator hold its lease in the cluster, and find out what it may do there, or no longer.
func (m *Member) attend(ctx context.Context, usable bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed || usable == (m.leave != nil):
	case usable:
		ctx, m.leave = context.WithCancel(context.WithoutCancel(ctx))
		m.attending.Go(func() { m.presence.Run(ctx) })
		m.attending.Go(func() { m.rights.run(ctx) })
	default:
		m.leave()
		m.leave = nil
	}
}

// stopAttending gives the lease back. Nobody attends any more.
func (m *Member) stopAttending() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.leave != nil {
		m.leave()
	}
}

// holderName returns a name that no other process has, and by which a person finds this one.
func holderName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "_" + string(uuid.NewUUID())
}

// Version returns that of the API server; empty: it is not known.
func (m *Member) Version() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.version
}

// homeOf returns the namespace of the lease.
func homeOf(remote *v1alpha1.RemoteCluster) string {
	return cmp.Or(remote.Spec.Scope.Home, defaultHome)
}

// leaseOf returns the name of the lease of a hub.
func leaseOf(hub string) string {
	short := strings.ReplaceAll(hub, "-", "")
	return "projection-" + short[:min(len(short), shortID)]
}

// awaitHub returns the uid of the namespace kube-system of the operator's own cluster, for which no other permission is needed than the operator has.
// It returns false if the context ends first.
func awaitHub(ctx context.Context, client metadata.Interface, retry time.Duration) (hub types.UID, found bool) {
	system := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, metav1.NamespaceSystem).String()}
	err := wait.PollUntilContextCancel(ctx, retry, true, func(ctx context.Context) (bool, error) {
		list, err := client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).List(ctx, system)
		if err != nil || len(list.Items) == 0 {
			log.FromContext(ctx).Info("No other cluster is connected: the uid of the namespace kube-system is not known",
				"advice", "permit the operator to list namespaces, and create that namespace if it does not exist", "reason", err)
			return false, nil
		}
		hub = list.Items[0].UID
		return true, nil
	})
	return hub, err == nil
}
