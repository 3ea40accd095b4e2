package remotecluster

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
)

// byIdentity is the index of RemoteClusters by the identity that they declare or that was recorded.
const byIdentity = "identity"

func identityOf(object client.Object) []string {
	remote, ok := object.(*v1alpha1.RemoteCluster)
	if !ok || recordedIdentity(remote) == "" {
		return nil
	}
	return []string{string(recordedIdentity(remote))}
}

// duplicateOf returns the name of the RemoteCluster that is the same cluster, and has come before; empty: there is none.
func (r *reconciler) duplicateOf(ctx context.Context, remote *v1alpha1.RemoteCluster, found *found) (string, error) {
	identity := recordedIdentity(remote)
	if identity == "" && found != nil {
		identity = found.identity
	}
	if identity == "" {
		return "", nil
	}
	var same v1alpha1.RemoteClusterList
	if err := r.client.List(ctx, &same, client.MatchingFields{byIdentity: string(identity)}); err != nil {
		return "", err
	}
	first := remote
	for i := range same.Items {
		if other := &same.Items[i]; other.UID != remote.UID && comesBefore(other, first, identity) {
			first = other
		}
	}
	if first == remote {
		return "", nil
	}
	return first.Name, nil
}

// comesBefore reports whether the first of two RemoteClusters has the identity rather than the second: one that nobody has recorded it for yields to
// any other, and the younger to the older.
func comesBefore(a, b *v1alpha1.RemoteCluster, identity types.UID) bool {
	if isRecorded := recordedIdentity(b) == identity; !isRecorded {
		return true
	}
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name)) < 0
}
