// Package projector reconciles rules of either kind.
//
// reconcile.go has the phases of a reconcile on one screen, and each phase has a file. A phase that cannot go on returns a plan.Error,
// which says what the conditions report. Status, events and metrics are written at the end, in finish.
package projector
