package push

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/rights"
)

// Uses returns what rules do with copies in the cluster, for which the operator needs permissions there. What many rules do is there once.
func (c *Clusters) Uses(ctx context.Context, remote *v1alpha1.RemoteCluster) ([]rights.Use, error) {
	if c.isHub(remote) { // the operator writes there as it always does
		return nil, nil
	}
	list := &v1.ClusterProjectionList{}
	if err := c.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	var uses []rights.Use
	known := sets.New[rights.Use]()
	for i := range list.Items {
		of, kinds := &list.Items[i], sets.New[string]()
		if selects(of, remote) {
			kinds.Insert(clusterprojection.SpecOf(of).KindOfCopies().String())
		}
		for _, kind := range projector.KindsIn(of, remote.Name) {
			kinds.Insert(kind.String())
		}
		for _, kind := range sets.List(kinds) {
			if use := useOf(of, kind); !known.Has(use) {
				known.Insert(use)
				uses = append(uses, use)
			}
		}
	}
	return uses, nil
}

func useOf(of rule, kind string) rights.Use {
	return rights.Use{
		Direction: v1alpha1.Push, Kind: schema.ParseGroupKind(kind),
		CreatesNamespaces: of.Spec.Destination.CreateNamespaces == v1.CreateNamespacesIfMissing,
	}
}

// EachTarget calls the function with the name of each other cluster that the rule copies into, as far as the cache knows.
func (c *Clusters) EachTarget(of rule, do func(cluster string)) {
	remotes, err := c.remotes(c.ctx)
	if err != nil {
		return // the RemoteClusters are not known yet
	}
	for name := range c.targetsOf(of, remotes) {
		do(name)
	}
}
