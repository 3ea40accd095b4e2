// Package fleet holds the connections to other clusters. It knows no rules and no copies.
//
// A member is reached as an Access says, which comes from the kubeconfig in a Secret. All requests to it pass one Conduit, so that its clients
// and watches are made once and keep working when credentials or addresses change. A Gate stops requests to a member that cannot be
// reached, and lets watches wait there. Slots bound the requests that are under way. An Identity makes sure that the member is the cluster
// that it was before.
//
// Example: the cluster eu-1 is cut off for two minutes. The connection ends, and the gate closes. From then on, only a probe dials: after one
// second, two, four, and so on. Writes to eu-1 fail at once, and take no slot that another cluster needs. When a probe succeeds, and the cluster
// still has the same identity, the gate opens, and each watch goes on from the version that it has seen last.
package fleet
