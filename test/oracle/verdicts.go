package oracle

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

// Verdicts are what there is to say of the copies that a rule wants, when everything is as it has to be.
type Verdicts struct {
	// InSync are the copies that stay as they are.
	InSync []Place
	// Skipped are the places where the rule leaves another object alone.
	Skipped []Place
	// Held are the places of a suspended rule, in which nothing happens.
	Held []Held
	// Failed are the copies that the rule cannot have, or cannot write.
	Failed []Failure
	// None has, for each source that is not copied, the reasons of which one is to be reported.
	None [][]string
}

// Failure is a copy that a rule cannot have, and why.
type Failure struct {
	Place
	// Reason is one of the reasons of the operator.
	Reason string
}

func (f Failure) String() string { return f.Place.String() + ": " + f.Reason }

// Held is a place where a suspended rule wants a copy.
type Held struct {
	Place
	Standing
}

// Standing says what is in the place of a copy that a suspended rule wants.
type Standing string

// Standings.
const (
	Absent  Standing = "absent"  // nothing
	Other   Standing = "other"   // an object that is no copy of the rule, and may become one
	Stale   Standing = "stale"   // a copy with other content
	Current Standing = "current" // a copy with the content that is wanted; somebody may have changed it and changed it back
)

// VerdictsOf returns what there is to say of a rule.
func VerdictsOf(state State, foreign Foreign, rule Rule) Verdicts {
	w := newWorld(state, foreign)
	w.copies()
	var verdicts Verdicts
	for i := range w.plans {
		p := &w.plans[i]
		isItself := p.rule == rule
		isPart := p.isPart && !p.isLast && p.rule.GetUID() == rule.GetUID()
		if !isItself && !isPart {
			continue
		}
		if p.source == nil && !p.isNothing {
			verdicts.None = append(verdicts.None, p.reasons)
		}
		w.addVerdicts(p, &verdicts)
	}
	if selectsSources(rule) {
		for range w.selectedCopies(rule) {
			verdicts.None = append(verdicts.None, []string{v1.ReasonSourceNotProjectable, v1.ReasonSourceOptedOut})
		}
	}
	return verdicts
}

// selectedCopies returns the copies of other rules that the selector of the rule matches.
func (w *world) selectedCopies(rule Rule) (names []string) {
	ref := refTo(rule)
	for _, name := range w.selectedAt(layer{Place: Place{schema.GroupKind{Group: ref.Group, Kind: ref.Kind}, ref.Namespace, ""}, selector: ref.Selector}, rule) {
		if _, foreign := w.foreign[Place{schema.GroupKind{Group: ref.Group, Kind: ref.Kind}, ref.Namespace, name}]; !foreign {
			names = append(names, name)
		}
	}
	return names
}

func (w *world) addVerdicts(p *plan, verdicts *Verdicts) {
	for _, t := range p.targets {
		reason := w.failure(p, t)
		switch standing := w.standing(p, t); {
		case w.skips(p, t):
			verdicts.Skipped = append(verdicts.Skipped, t.Place)
		case standing == Stale, reason == "" && standing != "":
			verdicts.Held = append(verdicts.Held, Held{t.Place, standing})
		case reason != "":
			verdicts.Failed = append(verdicts.Failed, Failure{t.Place, reason})
		default:
			verdicts.InSync = append(verdicts.InSync, t.Place)
		}
	}
}

// standing returns what is in the place of a copy that a suspended rule wants, or "".
func (w *world) standing(p *plan, t target) Standing {
	object, exists := w.Objects[t.Place]
	switch {
	case !wishOf(p.rule).suspended || t.obstacle != "":
		return ""
	case !exists:
		return Absent
	case !w.Owns(p.rule, t.Place):
		return Other
	case w.owners[t.Place] != p || len(contentProblems(t.Place, withoutLeft(object, w.leftOf(t.Place), *p), *p)) > 0:
		return Stale
	default:
		return Current
	}
}

// IsSuspended tells whether the rule only says what it would do.
func IsSuspended(rule Rule) bool { return wishOf(rule).suspended }

// Owns tells whether the object bears the annotation of the rule.
func (s *State) Owns(rule Rule, at Place) bool {
	object, exists := s.Objects[at]
	return exists && object.GetAnnotations()[marksOf[rule.GetKind()].annotation] == refOf(rule) && IsOfThePlace(object.GetAnnotations(), at)
}

// IsOfThePlace tells whether the annotations of an object name no other place than that.
func IsOfThePlace(annotations map[string]string, at Place) bool {
	place, stamped := annotations[v1.AnnotationPlace]
	return !stamped || place == at.Namespace+"/"+at.Name
}
