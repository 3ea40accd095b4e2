// Package fleetsim compares the clusters of its folder sim with a real API server, and runs the operator with some of them. Row fleet of make bench
// runs it with many.
package fleetsim
