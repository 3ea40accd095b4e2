// Package destination makes, keeps and removes copies.
//
// Render turns a source into a Template, which is pure. The Ledger knows what of each copy decides whether it is in step,
// so that a copy in step costs no request. The Writer applies and deletes under preconditions that the API server checks
// in the write itself, so that an object that is not ours is never changed, not even in a race.
package destination
