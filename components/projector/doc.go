// Package projector is the spine of the operator: what happens to a rule, whichever of the two kinds it is.
//
// reconcile.go is the whole story on one screen; every step has a file of its own. A step that cannot go on returns a
// halt, which says what the conditions will tell. What a rule is told, and what is counted, is decided once, in finish.
package projector
