package projector

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector/internal/tombstone"
)

// deleteLate deletes copies that were written late: of a rule of that name that has ended, or of a kind that the rule has copies
// of no more. The uid on a copy tells whose it is: a rule that was created again under the same name has another one. Kinds of
// the sets are left out: the reconcile deals with those itself. So are copies of the rule with the uid except: it may be another
// installation that has written them. It returns how many copies it has deleted. The function suspended may be nil.
func (m *Member) deleteLate(
	ctx context.Context, kind owner.RuleKind, rule types.NamespacedName, tombstones *tombstone.List, except types.UID, suspended func() bool, sets ...copySet,
) (count int, err error) {
	var errs []error
	for _, tombstone := range tombstones.Of(rule) {
		if tombstone.Rule == except || slices.ContainsFunc(sets, func(s copySet) bool { return s.Resource.GroupResource() == tombstone.Resource }) {
			continue
		}
		for resource, cache := range m.Inventory.Caches(tombstone.Resource) {
			if !cache.HasCopies(rule) {
				continue
			}
			id := owner.Identity{Kind: kind, Namespace: rule.Namespace, Name: rule.Name, UID: tombstone.Rule}
			set := destination.CopySet{Owner: id, User: tombstone.User, Cluster: m.Cluster, Resource: resource, Cache: cache, Suspended: suspended}
			deleted, err := m.Writer.DeleteLate(ctx, set, tombstone.Source)
			if deleted > 0 {
				log.FromContext(ctx).Info("Deleted copies that were written late", "rule", id.Ref(), "resource", resource.String(), "copies", deleted)
			}
			count, errs = count+deleted, append(errs, err)
		}
	}
	return count, errors.Join(errs...)
}
