package forecast

import (
	"cmp"
	"context"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
)

// Changes are what becomes of the copies of a rule.
type Changes struct {
	// Changes has all but the copies that stay as they are, in the order of namespaces.
	Changes []Change `json:"changes"`
	// Counts has how many copies an action concerns.
	Counts map[Action]int `json:"counts"`
}

func (c *Changes) add(change Change) {
	c.Counts[change.Action]++
	if change.Action != Unchanged {
		c.Changes = append(c.Changes, change)
	}
}

// In returns the changes in a namespace, and those that concern the rule in all. Copies there that stay as they are, are not counted.
func (c *Changes) In(namespace string) Changes {
	within := Changes{Changes: []Change{}, Counts: map[Action]int{}}
	for _, change := range c.Changes {
		if change.Namespace == namespace || change.Namespace == "" {
			within.add(change)
		}
	}
	return within
}

// HasChange reports whether anything changes, or may change.
func (c *Changes) HasChange() bool {
	return slices.ContainsFunc(c.Changes, func(change Change) bool { return change.Action.IsChange() })
}

// Changes returns what becomes of the copies of the rule if it is as given. Before is the rule as it is now; nil: there is none.
func (f *Forecaster) Changes(ctx context.Context, rule access.Rule, before *access.Rule) (Changes, error) {
	changes := Changes{Changes: []Change{}, Counts: map[Action]int{}}
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		source := SourceOf(rule.Spec.Source)
		changes.add(changeOf(&wish{}, of(failed, source)))
		return changes, nil
	}
	if err != nil {
		return Changes{}, err
	}
	known, left := &inventory{looksAtAll: true, names: namesOf(rule.Spec, specs)}, newLeftovers(rule, before)
	for _, spec := range specs {
		source := SourceOf(spec.Source)
		branch, err := f.each(ctx, rule, spec, known, func(wished *wish, verdict Verdict) {
			change := changeOf(wished, verdict)
			change.Source = &source // one for all
			left.planned(change)
			changes.add(change)
		})
		if err != nil {
			return Changes{}, err
		}
		left.add(branch)
		if branch.HasFailed() {
			changes.add(changeOf(&wish{}, of(*branch.Refused, branch.Source)))
		}
	}
	if err := f.leftovers(ctx, left, known, changes.add); err != nil {
		return Changes{}, err
	}
	slices.SortStableFunc(changes.Changes, func(a, b Change) int { return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), a.compareCopy(b)) })
	return changes, nil
}

// of returns the verdict as one on the source.
func of(verdict Verdict, source Object) Verdict {
	verdict.Source = source
	return verdict
}

func (c Change) compareCopy(other Change) int {
	if c.Copy == nil || other.Copy == nil {
		return 0
	}
	return cmp.Or(cmp.Compare(c.Copy.Name, other.Copy.Name), cmp.Compare(c.Copy.Kind, other.Copy.Kind))
}

// source names the object as copies name their source.
func (o Object) source() string {
	return destination.SourceName(v1.SourceRef{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name})
}
