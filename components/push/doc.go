// Package push writes the copies of ClusterProjections into other clusters: those that destination.clusters selects. Each cluster has a branch, with a
// queue and workers of its own, so that a cluster that hangs delays no other. The projector of the rules gathers what the branches report.
package push
