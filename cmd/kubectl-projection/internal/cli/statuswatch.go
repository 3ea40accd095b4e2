package cli

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// tableWatch follows rules.
type tableWatch struct {
	noted

	settings access.Settings
	// removed is the reason of a rule that is no more in the list.
	removed string

	// rules have changed since they were printed, by their full names.
	rules map[string]ruleInfo
	// awaited are the resources that have not been listed yet, and hidden those that the caller may not follow.
	awaited map[string]bool
	hidden  []string
	// failed are the errors of requests that are made again, by resource.
	failed map[string]error
}

// Reasons of rules that are no more in the list.
const (
	reasonDeleted    = "Deleted"
	reasonUnlabelled = "Deleted, or without the labels"
)

// followed are the kinds of rules.
var followed = []owner.RuleKind{owner.ClusterProjection, owner.Projection}

func newTableWatch(settings access.Settings, selector string) *tableWatch {
	w := &tableWatch{
		noted: newNoted(), settings: settings, removed: reasonDeleted,
		rules: map[string]ruleInfo{}, awaited: map[string]bool{}, failed: map[string]error{},
	}
	if selector != "" {
		w.removed = reasonUnlabelled
	}
	for _, kind := range followed {
		w.awaited[access.ResourceOf(kind).Resource] = true
	}
	return w
}

// watchTable prints the rules, and each of them again when it has changed, until the context ends. It ends by itself if the caller may not follow any.
func (o *options) watchTable(ctx context.Context, namespace, selector string, out *output) error {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return err
	}
	w := newTableWatch(settings, selector)
	followers, ctx := errgroup.WithContext(ctx)
	for _, kind := range followed {
		list := access.List{Labels: selector}
		if kind.Namespaced {
			list.Namespace = namespace
		}
		followers.Go(func() error { return w.follow(ctx, cluster, kind, list) })
	}
	followers.Go(func() error { return w.print(ctx, o.newTableRows(settings, out)) })
	return followers.Wait()
}

func (w *tableWatch) follow(ctx context.Context, cluster *access.Cluster, kind owner.RuleKind, list access.List) error {
	resource := access.ResourceOf(kind).Resource
	err := cluster.FollowRules(ctx, kind, list, access.Observer[access.Rule]{
		Set:     func(rule access.Rule) { w.set(infoOf(rule, w.settings)) },
		Removed: func(rule access.Rule) { w.set(removedRule(infoOf(rule, w.settings), w.removed)) },
		Listed:  func() { w.update(func() { delete(w.awaited, resource) }) },
		Answered: func(err error) {
			w.update(func() {
				if delete(w.failed, resource); access.MayPass(err) {
					w.failed[resource] = err
				}
			})
		},
	})
	if access.IsUnknown(err) {
		w.update(func() {
			delete(w.awaited, resource)
			w.hidden = append(w.hidden, resource)
		})
		return nil
	}
	return access.Explain(err, "watch "+resource)
}

// removedRule is what is known of a rule that is no more in the list.
func removedRule(info ruleInfo, reason string) ruleInfo {
	info.Ready, info.Reason, info.Deleted, info.NotServed = string(metav1.ConditionUnknown), reason, false, false
	return info
}

func (w *tableWatch) set(info ruleInfo) {
	w.update(func() { w.rules[info.String()] = info })
}

// news are what is to be printed.
type news struct {
	// changed are in the order of their names. There are none until all rules have been listed.
	changed []ruleInfo
	hidden  []string
	failed  map[string]error
	// isListed reports whether all rules have been listed.
	isListed bool
}

// next returns what is to be printed.
func (w *tableWatch) next() news {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := news{failed: maps.Clone(w.failed), isListed: len(w.awaited) == 0}
	if found.isListed {
		found.changed, found.hidden = slices.Collect(maps.Values(w.rules)), slices.Clone(w.hidden)
		sortRules(found.changed)
		w.rules = map[string]ruleInfo{}
	}
	return found
}

// print prints the rules that have changed, at most once a second.
func (w *tableWatch) print(ctx context.Context, rows *tableRows) error {
	for ctx.Err() == nil {
		if found := w.next(); found.isListed || len(found.failed) > 0 {
			if err := rows.print(found); err != nil || len(found.hidden) == len(followed) {
				return err
			}
			pause(ctx, nil, shortestLook)
		}
		pause(ctx, w.changed, longestLook)
	}
	return nil
}
