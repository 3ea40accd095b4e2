// Package reach has what copies from and into other clusters have in common: the clients of a cluster, whether the cluster can be used now, and when that
// changes.
package reach
