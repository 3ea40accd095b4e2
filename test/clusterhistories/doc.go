// Package clusterhistories makes random histories of one hub and two other clusters, and compares what there is with what the rules ask for.
package clusterhistories
