// Package scale tells what must not depend on the size of a cluster, on a cluster that is large: what other rules wait
// for, what an edit costs, and that nothing is asked when nothing happens. How fast that is, test/bench measures.
package scale
