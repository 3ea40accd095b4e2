package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// ruleReport is what a rule wants in a namespace, and what is there.
type ruleReport struct {
	Rule      ruleInfo `json:"rule"`
	Namespace string   `json:"namespace"`
	// Reported is what the operator reports of the namespace; nil: no failure, or none that the status has room for.
	Reported *v1.NamespaceFailure `json:"reported,omitempty"`
	// Clusters are the failures that the operator reports of other clusters, and of the namespace in them.
	Clusters []v1.ClusterFailure `json:"clusters,omitempty"`
	// Copies has a verdict for each source.
	Copies []forecast.Verdict `json:"copies"`
}

func (i inquiry) ofRule(ctx context.Context, rule access.Rule) (report, error) {
	found, err := i.verdictsOn(ctx, rule)
	return report{kind: "Why", data: found, text: found.print}, err
}

func (i inquiry) verdictsOn(ctx context.Context, rule access.Rule) (ruleReport, error) {
	verdicts, err := i.forecaster(ctx, i.namespace).In(ctx, rule, i.namespace)
	info := infoOf(rule, i.settings)
	return ruleReport{
		Rule: info, Namespace: i.namespace, Copies: verdicts, Reported: forecast.ReportedIn(rule, i.namespace),
		Clusters: failuresIn(info.ClusterFailures, "", i.namespace),
	}, err
}

// ofHiddenRule is the report on a rule that the caller may not read.
func (i inquiry) ofHiddenRule(rule ruleInfo) report {
	verdict := forecast.Verdict{State: forecast.Unknown, Namespace: i.namespace, Message: "you may not read the " + rule.String()}
	found := ruleReport{Rule: rule, Namespace: i.namespace, Copies: []forecast.Verdict{verdict}}
	return report{kind: "Why", data: found, text: found.print}
}

// reported is what the operator says of the namespace, or of the rule, unless a verdict says it.
func (r ruleReport) reported() string {
	switch {
	case r.Reported == nil:
		return r.Rule.Message
	case slices.ContainsFunc(r.Copies, func(v forecast.Verdict) bool { return v.Message == r.Reported.Message }):
		return ""
	default:
		return r.Reported.Reason + ": " + r.Reported.Message
	}
}

func (r ruleReport) print(out io.Writer) error {
	err := lines(out, [2]string{"Rule", r.Rule.String()}, [2]string{"Status", r.Rule.state()}, [2]string{"Reported", r.reported()},
		[2]string{"Namespace", r.Namespace})
	if err != nil {
		return err
	}
	if len(r.Copies) == 0 {
		return lines(out, [2]string{"Copies", "none: the selector of the rule matches no source"})
	}
	for _, verdict := range r.Copies {
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
		if err := printVerdict(out, verdict); err != nil {
			return err
		}
	}
	return printClusterFailures(out, r.Clusters)
}

func printVerdict(out io.Writer, verdict forecast.Verdict) error {
	place, source := "", ""
	if verdict.Source.Kind != "" {
		source = verdict.Source.String()
	}
	if verdict.Copy != nil {
		place = verdict.Copy.String()
	}
	state := string(verdict.State)
	if verdict.Reason != "" {
		state += ", " + verdict.Reason
	}
	return lines(out, [2]string{"Source", source}, [2]string{"Copy", place}, [2]string{"State", state},
		[2]string{"Because", verdict.Message}, [2]string{"Next", verdict.Next})
}
