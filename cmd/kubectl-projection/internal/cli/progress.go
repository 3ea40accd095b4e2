package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// progress is how far the copies of a rule are.
type progress struct {
	Rule ruleName `json:"rule"`
	// UpToDate counts the copies with the content that the rule wants, and Wanted all that it wants; nil: that is not known.
	UpToDate *int64 `json:"upToDate,omitempty"`
	Wanted   *int64 `json:"wanted,omitempty"`
	// PerSecond is how many copies became up to date per second of late, and SecondsLeft how long the rest takes at that pace.
	PerSecond   float64 `json:"perSecond,omitempty"`
	SecondsLeft *int64  `json:"secondsLeft,omitempty"`
	// Failed counts namespaces, as the operator reports them, and Reasons has up to three of the reasons, with the most frequent first.
	Failed  int32    `json:"failed,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	// Reason and Because say why copies that are not up to date may stay so: the one in a word, the other in a sentence.
	Reason  string `json:"reason,omitempty"`
	Because string `json:"because,omitempty"`
	// Message says what keeps the rule from being carried out.
	Message string `json:"message,omitempty"`
	// Unknown says why the counts are those that the operator reports; empty: the copies were counted.
	Unknown string `json:"unknown,omitempty"`
	// Complete reports whether all copies are up to date, and the operator has seen the present rule.
	Complete bool `json:"complete"`
}

// ruleName names a rule.
type ruleName struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func ruleNameOf(rule access.Rule) ruleName {
	return ruleName{rule.Kind.Name, rule.Namespace, rule.Name}
}

// Reasons that are none of the operator.
const (
	reasonNoAnswer        = "NoAnswer"
	reasonNotObserved     = "NotObserved"
	reasonRuleNotSelected = "RuleNotSelected"
	reasonTerminating     = "Terminating"
)

// whyWaiting returns why the operator does not write the copies that are not up to date, or has still to report that all are.
func whyWaiting(rule access.Rule, info ruleInfo, seen progress) (reason, because string) {
	isDone := seen.UpToDate != nil && *seen.UpToDate == *seen.Wanted
	switch {
	case info.NotServed:
		return reasonRuleNotSelected, "the operator does not reconcile the rule: --watch-label-selector"
	case info.Deleted:
		return reasonTerminating, "the rule is being deleted"
	case info.Suspended:
		return v1.ReasonSuspended, "the rule is suspended"
	case info.Reason == v1.ReasonRolloutHeld:
		return info.Reason, "the rollout is held"
	case isDone && !rule.IsObserved():
		return reasonNotObserved, "the operator has not reported on the present rule"
	default:
		return "", ""
	}
}

// unanswered returns the progress as it was when the API server last answered.
func (p progress) unanswered(err error) progress {
	p.Complete, p.PerSecond, p.SecondsLeft = false, 0, nil
	p.Reason, p.Because = reasonNoAnswer, "a request failed, and is made again: "+err.Error()
	return p
}

// maxReasons is how many reasons are printed.
const maxReasons = 3

// failuresOf returns how many namespaces have failed, and why.
func failuresOf(rule access.Rule, info ruleInfo) (failed int32, reasons []string) {
	if info.Failed == 0 {
		return 0, nil
	}
	object, ok := rule.Object.(*v1.ClusterProjection)
	if !ok {
		return info.Failed, []string{info.Reason}
	}
	counts := slices.Clone(object.Status.FailureReasons)
	slices.SortStableFunc(counts, func(a, b v1.ReasonCount) int { return cmp.Compare(b.Count, a.Count) })
	for _, counted := range counts[:min(len(counts), maxReasons)] {
		reason := counted.Reason
		if len(counts) > 1 {
			reason = fmt.Sprintf("%d %s", counted.Count, counted.Reason)
		}
		reasons = append(reasons, reason)
	}
	return info.Failed, reasons
}

// line returns the progress for people.
func (p progress) line() string {
	rule := ruleInfo{Kind: p.Rule.Kind, Namespace: p.Rule.Namespace, Name: p.Rule.Name}
	parts := []string{fmt.Sprintf("%s: %s/%s copies up to date", rule.argument(), numberOr(p.UpToDate, unknownValue), numberOr(p.Wanted, unknownValue))}
	if p.PerSecond > 0 && !p.Complete {
		parts = append(parts, rateOf(p.PerSecond)+"/s")
	}
	if p.SecondsLeft != nil && !p.Complete {
		parts = append(parts, "about "+duration.HumanDuration(time.Duration(*p.SecondsLeft)*time.Second)+" left")
	}
	if p.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed: %s", p.Failed, strings.Join(p.Reasons, ", ")))
	}
	if p.Because != "" {
		parts = append(parts, p.Because)
	}
	if p.Message != "" {
		parts = append(parts, p.Message)
	}
	if p.Unknown != "" {
		parts = append(parts, unknownValue+" as the operator reports: "+p.Unknown)
	}
	return strings.Join(parts, ", ")
}

// rateOf returns a rate with one digit after the point below 10.
func rateOf(perSecond float64) string {
	if perSecond < 10 {
		return strconv.FormatFloat(perSecond, 'f', 1, 64)
	}
	return strconv.FormatFloat(math.Ceil(perSecond), 'f', 0, 64)
}
