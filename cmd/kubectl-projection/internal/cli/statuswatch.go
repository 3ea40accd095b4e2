package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// tableWatch follows rules.
type tableWatch struct {
	settings access.Settings
	changed  chan struct{}

	mu sync.Mutex
	// rules have changed since they were printed, by their full names.
	rules map[string]ruleInfo
	// awaited are the kinds that have not been listed yet, and unknown those that the caller may not follow.
	awaited int
	unknown []string
}

// watchTable prints the rules, and each of them again when it has changed, until the context ends.
func (o *options) watchTable(ctx context.Context, namespace, selector string, out *output) error {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return err
	}
	kinds := []owner.RuleKind{owner.ClusterProjection, owner.Projection}
	w := &tableWatch{settings: settings, changed: make(chan struct{}, 1), rules: map[string]ruleInfo{}, awaited: len(kinds)}
	followers, ctx := errgroup.WithContext(ctx)
	for _, kind := range kinds {
		list := access.List{Labels: selector}
		if kind.Namespaced {
			list.Namespace = namespace
		}
		followers.Go(func() error { return w.follow(ctx, cluster, kind, list) })
	}
	followers.Go(func() error { return w.print(ctx, o, out) })
	return followers.Wait()
}

func (w *tableWatch) follow(ctx context.Context, cluster *access.Cluster, kind owner.RuleKind, list access.List) error {
	err := cluster.FollowRules(ctx, kind, list, access.Observer[access.Rule]{
		Set: func(rule access.Rule) { w.set(infoOf(rule, w.settings)) },
		Removed: func(rule access.Rule) {
			info := infoOf(rule, w.settings)
			info.Ready, info.Reason, info.Deleted = string(metav1.ConditionUnknown), "Deleted", false
			w.set(info)
		},
		Listed: func() { w.update(func() { w.awaited-- }) },
	})
	if access.IsUnknown(err) {
		w.update(func() { w.awaited, w.unknown = w.awaited-1, append(w.unknown, access.ResourceOf(kind).Resource) })
		return nil
	}
	return access.Explain(err, "watch "+access.ResourceOf(kind).Resource)
}

func (w *tableWatch) set(info ruleInfo) {
	w.update(func() { w.rules[info.String()] = info })
}

func (w *tableWatch) update(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	leaveNote(w.changed)
}

// next returns the rules that have changed, in the order of their names.
func (w *tableWatch) next() (changed []ruleInfo, unknown []string, isListed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.awaited > 0 {
		return nil, nil, false
	}
	changed = slices.Collect(maps.Values(w.rules))
	sortRules(changed)
	w.rules = map[string]ruleInfo{}
	return changed, w.unknown, true
}

// print prints the rules that have changed, at most once a second. It prints in columns whose widths stay.
func (w *tableWatch) print(ctx context.Context, o *options, out *output) error {
	tabs := printers.GetNewTabWriter(o.Out)
	printed, rows := map[string]ruleInfo{}, *out
	for ctx.Err() == nil {
		changed, unknown, isListed := w.next()
		if !isListed {
			pause(ctx, w.changed, longestLook)
			continue
		}
		isFirst := len(printed) == 0 && !rows.noHeaders
		changed = slices.DeleteFunc(changed, func(info ruleInfo) bool { return isSame(info, printed[info.String()]) })
		for _, info := range changed {
			printed[info.String()] = info
		}
		if len(changed) > 0 || isFirst {
			found := statusReport{Operator: w.settings, Rules: changed, Unknown: unknown}
			if err := errors.Join(found.rows(tabs, &rows, o.now()), tabs.Flush()); err != nil {
				return err
			}
			rows.noHeaders = true
		}
		pause(ctx, nil, shortestLook)
		pause(ctx, w.changed, longestLook)
	}
	return nil
}

// isSame reports whether both rows of a rule say the same.
func isSame(a, b ruleInfo) bool {
	return a.String() == b.String() && a.Ready == b.Ready && a.reason() == b.reason() && a.Message == b.Message && a.copies() == b.copies() && a.Source == b.Source
}
