// Package destination makes, keeps and removes copies.
//
// Render turns a source into a Renderer, which is pure. It has the copy of each target as a static primitive: the baseline, all
// mutations of mutations.ForDestination by name and gate, and a guard. The CopyCache knows of each copy what decides whether it is
// in sync, so that a copy in sync costs no request. The Writer applies and deletes under preconditions that the API server checks
// in the request itself, so that an object that is not ours is never changed, not even in a race.
//
// # What a guard decides, and what it does not
//
// Whether a source may be copied at all is decided before there is a copy, by policy.Mode: a source that withdraws its consent takes
// its copies with it, and a guard can only keep an object from being written. The guard of a copy, policy.DestinationGuard, is
// asked right before each write. It enforces on that copy what may have changed since the reconcile planned it:
//   - CopySet.Withdrawn reports that no copy is wanted in the namespace any more. Example: a reconcile plans 5,000 copies; somebody
//     takes the consent off the source while the first thousand are written; the others are not written.
//   - The place is that of the source.
package destination
