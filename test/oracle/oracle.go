package oracle

import (
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// world is a state, and what is known of it.
type world struct {
	State
	foreign Foreign
	// taken are foreign objects, as their writers left them, that name a rule as their owner now.
	taken Foreign
	plans []plan
	// groups are the rules that select their sources. Their parts are among the plans.
	groups []group
	// owners are the plans that the copies' annotations name.
	owners map[Place]*plan
}

// Problems returns in what the state differs from what it has to be, sorted; nothing if it does not. It also finds that
// something has not ended yet. Where several rules want the same place, any of them may have it, but only one.
func Problems(state State, foreign Foreign) []string {
	w := newWorld(state, foreign)
	problems := slices.Concat(w.ending(), w.foreignObjects(), w.copies(), w.lost(), w.notAdopted())
	for i := range w.plans {
		if !w.plans[i].isPart {
			problems = append(problems, w.reports(&w.plans[i])...)
		}
	}
	for _, group := range w.groups {
		problems = append(problems, w.reportsOf(group)...)
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

func newWorld(state State, foreign Foreign) *world {
	w := &world{State: state, foreign: Foreign{}, taken: Foreign{}, owners: map[Place]*plan{}}
	for at, object := range foreign {
		switch _, exists := state.Namespaces[at.Namespace]; {
		case !exists:
		case w.adopted(at, object):
			w.taken[at] = object
		default:
			w.foreign[at] = object
		}
	}
	for _, rule := range state.Rules {
		if selectsSources(rule) {
			w.groups = append(w.groups, w.selectedBy(rule))
			continue
		}
		w.plans = append(w.plans, w.plan(rule))
	}
	for i := range w.groups {
		w.plans = append(w.plans, w.groups[i].parts...)
	}
	return w
}

// ending finds what is being deleted.
func (w *world) ending() []string {
	var problems []string
	for name, namespace := range w.Namespaces {
		if namespace.DeletionTimestamp != nil {
			problems = append(problems, fmt.Sprintf("the namespace %s has not ended", name))
		}
	}
	for _, rule := range w.Rules {
		if rule.GetDeletionTimestamp() != nil {
			problems = append(problems, fmt.Sprintf("%s %s has not ended", rule.GetKind(), refOf(rule)))
		}
	}
	return problems
}

// foreignObjects finds sources and foreign objects that somebody touched.
func (w *world) foreignObjects() []string {
	var problems []string
	for at, object := range w.foreign {
		switch live, exists := w.Objects[at]; {
		case !exists:
			problems = append(problems, fmt.Sprintf("%s is no copy, and was deleted", at))
		case !reflect.DeepEqual(live.Object, object.Object):
			problems = append(problems, fmt.Sprintf("%s is no copy, and was changed: %v is %v", at, object.Object, live.Object))
		}
	}
	return problems
}

// copies looks at everything else: it has to have one owner, which wants it or cannot have its successor yet.
func (w *world) copies() []string {
	var problems []string
	for at, object := range w.Objects {
		if _, foreign := w.foreign[at]; foreign {
			continue
		}
		owners := w.ownersOf(object)
		if len(owners) != 1 {
			problems = append(problems, fmt.Sprintf("%s is an orphan: %d rules own it; its annotations are %v", at, len(owners), object.GetAnnotations()))
			continue
		}
		w.owners[at] = owners[0]
	}
	for at, owner := range w.owners {
		switch {
		case wishOf(owner.rule).suspended: // it stays as it is
		case w.staysFixed(owner, at):
		case owner.wants(at):
			problems = append(problems, contentProblems(at, withoutLeft(w.Objects[at], w.leftOf(at), *owner), *owner)...)
		case holdsUndeclared(w.Objects[at], owner.source):
			problems = append(problems, fmt.Sprintf("%s holds keys that are not declared public", at))
		case owner.keeps(at, w.Objects[at]):
		case !w.waits(w.successor(owner, at), at.Namespace):
			problems = append(problems, fmt.Sprintf("%s is stale: %s %s does not want it", at, owner.rule.GetKind(), refOf(owner.rule)))
		}
	}
	return problems
}

// ownersOf returns the rules that the object's marks name. A rule that does not exist owns nothing, and nobody owns what
// names another place.
func (w *world) ownersOf(object *unstructured.Unstructured) []*plan {
	var owners []*plan
	if place, stamped := object.GetAnnotations()[v1.AnnotationPlace]; stamped && place != object.GetNamespace()+"/"+object.GetName() {
		return nil
	}
	for i := range w.plans {
		p := &w.plans[i]
		if p.isPart && !p.isOf(object) {
			continue
		}
		confined := p.rule.GetNamespace() == "" || p.rule.GetNamespace() == object.GetNamespace()
		if confined && object.GetAnnotations()[marksOf[p.rule.GetKind()].annotation] == refOf(p.rule) {
			owners = append(owners, p)
		}
	}
	return owners
}

// waits tells whether the rule wants a copy in the namespace that it cannot have, so that what it had there may stay. Nothing may stay where
// the owner of the source permits no copy.
func (w *world) waits(p *plan, namespace string) bool {
	return slices.ContainsFunc(p.targets, func(t target) bool {
		return t.Namespace == namespace && w.failure(p, t) != "" && t.obstacle != notPermitted
	})
}

// leftOf returns the object that was adopted at the place as its writer left it; nil if none was.
func (w *world) leftOf(at Place) *unstructured.Unstructured {
	if noted, found := w.taken[at]; found {
		return noted
	}
	return w.Adopted[w.Objects[at].GetUID()]
}

// failure returns why the target does not have its copy although the rule cannot do without it, or "".
func (w *world) failure(p *plan, t target) string {
	if w.skips(p, t) {
		return ""
	}
	return w.obstacleTo(p, t)
}

// obstacleTo returns why the target does not have its copy, or "".
func (w *world) obstacleTo(p *plan, t target) string {
	if owner, copied := w.owners[t.Place]; t.obstacle == "" && copied && owner != p {
		return conflict
	}
	if t.obstacle == "" && w.staysFixed(p, t.Place) {
		return v1.ReasonDestinationUpdateFailed
	}
	return t.obstacle
}

// lost finds the places where a copy is wanted and there is none.
func (w *world) lost() []string {
	var problems []string
	for _, p := range w.plans {
		if wishOf(p.rule).suspended {
			continue
		}
		for _, t := range p.targets {
			if _, exists := w.Objects[t.Place]; t.obstacle == "" && !exists {
				problems = append(problems, fmt.Sprintf("%s is lost: %s %s wants it", t.Place, p.rule.GetKind(), refOf(p.rule)))
			}
		}
	}
	return problems
}
