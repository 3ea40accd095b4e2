// Package pull reads the sources of rules in other clusters: those that RemoteClusters declare. It decides which rules may read from which cluster,
// and says why one cannot be used now.
package pull
