// Package health reads from the status of an object whether it is healthy, by the rules of kstatus. The rules for single kinds are those of
// the package primitives. It is pure.
package health
