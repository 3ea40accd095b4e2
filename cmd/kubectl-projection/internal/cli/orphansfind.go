package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
)

// maxListed is how many kinds are listed at a time.
const maxListed = 8

// find lists the objects there that have the mark of this cluster, and then the rules: an object that was listed is no orphan if its rule is newer
// than the list.
func (r *orphansReport) find(ctx context.Context, hub, there *access.Cluster, types []string) error {
	kinds, err := r.kinds(ctx, there, types)
	if err != nil {
		return err
	}
	if err := r.list(ctx, there, kinds); err != nil {
		return err
	}
	rules, err := hub.Rules(ctx, metav1.NamespaceAll, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(rules.Unknown) > 0 {
		return errors.New("you may not list " + strings.Join(rules.Unknown, " and ") + " in this cluster: which rules exist is not known")
	}
	r.keep(rules.Items)
	slices.SortFunc(r.Orphans, func(a, b orphan) int {
		return cmp.Or(cmp.Compare(a.Object.Namespace, b.Object.Namespace), cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	return nil
}

// kinds returns those that the caller names, or all that are listed there.
func (r *orphansReport) kinds(ctx context.Context, there *access.Cluster, types []string) ([]access.Listable, error) {
	if len(types) == 0 {
		kinds, unknown, err := there.Listable(ctx)
		for _, version := range unknown {
			r.Unknown = append(r.Unknown, "what the API "+version+" serves there")
		}
		return kinds, err
	}
	mappings, err := namedResources(there.Mapper, types)
	if err != nil {
		return nil, err
	}
	kinds := make([]access.Listable, len(mappings))
	for i, mapping := range mappings {
		kinds[i] = access.Listable{Resource: mapping.Resource, Kind: mapping.GroupVersionKind.GroupKind()}
	}
	return kinds, nil
}

// list adds the objects that have the mark of this cluster. All of them count as orphans until the rules are known.
func (r *orphansReport) list(ctx context.Context, there *access.Cluster, kinds []access.Listable) error {
	var mu sync.Mutex
	seen := map[types.UID]bool{}
	requests, ctx := errgroup.WithContext(ctx)
	requests.SetLimit(maxListed)
	for _, kind := range kinds {
		requests.Go(func() error {
			ofHub := metav1.ListOptions{LabelSelector: v1.LabelOwnedByHubPrefix + r.Hub}
			err := there.EachMetadata(ctx, kind.Resource, metav1.NamespaceAll, ofHub, func(object *metav1.PartialObjectMetadata) error {
				mu.Lock()
				defer mu.Unlock()
				if !seen[object.UID] { // some kinds are served by two groups
					seen[object.UID] = true
					r.add(kind, object)
				}
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case access.IsUnknown(err):
				r.Unknown = append(r.Unknown, "you may not list "+kind.Resource.GroupResource().String()+" there")
			case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err), apierrors.IsServiceUnavailable(err):
				r.Unknown = append(r.Unknown, kind.Resource.GroupResource().String()+" cannot be listed there: "+apierr.Message(err))
			default:
				return err
			}
			return nil
		})
	}
	err := requests.Wait()
	slices.Sort(r.Unknown)
	return err
}

// add adds an object with the label of copies of this cluster. The annotation decides whether it is one.
func (r *orphansReport) add(kind access.Listable, object *metav1.PartialObjectMetadata) {
	rule, isOurs := strings.CutPrefix(object.Annotations[v1.AnnotationOwnedByRemote], r.Hub+"/")
	if _, _, isRule := strings.Cut(rule, "/"); !isOurs || !isRule || owner.IsElsewhere(object) || owner.IsAmbiguous(object) {
		r.Unmarked++
		return
	}
	at := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	r.Orphans = append(r.Orphans, orphan{
		Object: forecast.ObjectOf(kind.Kind, at), Rule: rule, Created: object.CreationTimestamp, Deleted: object.DeletionTimestamp != nil,
		listable: kind, uid: object.UID, version: object.ResourceVersion,
	})
}

// keep takes away the objects whose rules exist, and those that name what this version does not know as a rule.
func (r *orphansReport) keep(rules []access.Rule) {
	exists := make(map[string]bool, len(rules))
	for _, rule := range rules {
		exists[rule.Kind.Name+"/"+rule.Ref()] = true
	}
	r.Orphans = slices.DeleteFunc(r.Orphans, func(found orphan) bool {
		kind, _, _ := strings.Cut(found.Rule, "/")
		switch {
		case exists[found.Rule]:
			r.Kept++
		case kind != owner.ClusterProjection.Name && kind != owner.Projection.Name:
			r.Unmarked++
		default:
			return false
		}
		return true
	})
}
