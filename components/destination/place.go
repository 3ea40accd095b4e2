package destination

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Place is where a copy is.
type Place struct {
	// Cluster is the name of the cluster; empty: the cluster of the rules.
	Cluster  string
	Resource schema.GroupVersionResource
	types.NamespacedName
}

// Place returns the place of a copy of the set.
func (s CopySet) Place(at types.NamespacedName) Place {
	return Place{Cluster: s.Cluster, Resource: s.Resource, NamespacedName: at}
}
