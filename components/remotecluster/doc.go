// Package remotecluster makes RemoteClusters known: it keeps a connection to each, and says in the status whether it can be used. It knows no rules
// and no copies.
//
// A Registry has a Member for each RemoteCluster that can be used. The reconcile of a RemoteCluster reads how the cluster is reached, hands that to
// the Member, and writes what the Member has found. It makes no request to the cluster: those are made by goroutines of the Member, so a cluster
// that hangs delays no other.
//
// Example: the Secret of eu-1 gets another token. The watch of that Secret enqueues eu-1, the reconcile reads the Secret, and the Member uses the
// token from its next request on. If the Secret is deleted, the condition Accepted says so, and the Member goes on with the access that it has.
package remotecluster
