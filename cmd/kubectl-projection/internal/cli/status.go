package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

const statusLong = `Show the operator, and the rules with what it reports of them.

It lists all ClusterProjections, and the Projections of the namespace, or of all namespaces with --all-namespaces. IN-SYNC counts, of a
ClusterProjection, the namespaces whose copies are in sync, of those that are to have one. READY is Unknown until the operator has reported the
present generation of the rule. With --watch, a rule is printed again when what is printed of it has changed.

With a rule and --watch, it counts the copies that have the content that the rule wants now, as its sources and the namespaces are. It prints the
count when it has changed, at most once a second, and ends when all copies are up to date.`

const statusExample = `  # The ClusterProjections, and the Projections of the namespace of the context
  kubectl projection status

  # All rules, with the message of each
  kubectl projection status --all-namespaces -o wide

  # Wait until all copies of a rule have the content of its source
  kubectl projection status clusterprojection/base --watch

  # Each rule again when it has changed
  kubectl projection status --watch

  # The names of the rules with a label, for other commands
  kubectl projection status -A -l team=shop -o name`

// statusReport is the operator, and its rules.
type statusReport struct {
	Operator access.Settings `json:"operator"`
	Rules    []ruleInfo      `json:"rules"`
	// NotReady counts the rules that are not ready, and Copies those that are in sync.
	NotReady int `json:"notReady"`
	Copies   int `json:"copies"`
	// Namespaces counts those in which all copies of a rule with several sources are in sync: the operator does not count their copies.
	Namespaces int `json:"namespaces,omitempty"`
	// Unknown are the resources of rules that the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
	// isOne reports whether the caller has named a rule.
	isOne bool
}

// statusFlags are the flags of the command status.
type statusFlags struct {
	everywhere, watch bool
	selector          string
	timeout           time.Duration
}

func newStatus(o *options) *cobra.Command {
	var out output
	var asked statusFlags
	command := &cobra.Command{
		Use:     "status [TYPE/NAME | TYPE NAME]",
		Short:   "Show the operator and its rules",
		Long:    statusLong,
		Example: statusExample,
		Args:    cobra.MaximumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := errors.Join(out.validate(), asked.validate(args, &out)); err != nil {
				return err
			}
			return o.statusAs(command.Context(), args, asked, &out)
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	addRuleFlags(command, &asked.everywhere, &asked.selector)
	command.Flags().BoolVarP(&asked.watch, "watch", "w", false, "If true, print again what has changed. With a rule, until all its copies are up to date.")
	command.Flags().DurationVar(&asked.timeout, "timeout", 0, "How long to wait, with --watch, for the copies of a rule. Zero means as long as it takes.")
	return command
}

func (f statusFlags) validate(args []string, out *output) error {
	hasRule := len(args) > 0
	switch {
	case hasRule && (f.everywhere || f.selector != ""):
		return errors.New("name a rule, or list rules by --all-namespaces and --selector")
	case f.timeout != 0 && !(f.watch && hasRule):
		return errors.New("--timeout is for a rule with --watch")
	case f.watch && hasRule:
		return out.watchable("--watch of a rule", formatJSON)
	case f.watch:
		return out.watchable("--watch", formatWide)
	default:
		return nil
	}
}

// watchable returns an error if the format is neither the default nor the other one.
func (o *output) watchable(flag, other string) error {
	if o.format != "" && o.format != other {
		return fmt.Errorf("%s takes -o %s only", flag, other)
	}
	return nil
}

// statusAs prints the status as the flags say.
func (o *options) statusAs(ctx context.Context, args []string, asked statusFlags, out *output) error {
	namespace, err := o.namespace()
	if err != nil {
		return err
	}
	if asked.everywhere {
		namespace = ""
	}
	var found statusReport
	switch hasRule := len(args) > 0; {
	case hasRule && asked.watch:
		return o.watchProgress(ctx, args, asked.timeout, out)
	case asked.watch:
		return o.watchTable(ctx, namespace, asked.selector, out)
	case hasRule:
		found, err = o.statusOf(ctx, args)
	default:
		found, err = o.status(ctx, namespace, asked.selector)
	}
	if err != nil {
		return err
	}
	return out.print(o.Out, found.report(out, o.now()))
}

// addRuleFlags adds the flags that say which rules a command lists.
func addRuleFlags(command *cobra.Command, everywhere *bool, selector *string) {
	command.Flags().BoolVarP(everywhere, "all-namespaces", "A", false, "If present, list the Projections of all namespaces.")
	command.Flags().StringVarP(selector, "selector", "l", "", "Selector (label query) to filter the rules on, as kubectl get takes it.")
}

func (o *options) status(ctx context.Context, namespace, selector string) (statusReport, error) {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return statusReport{}, err
	}
	rules, err := cluster.Rules(ctx, namespace, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return statusReport{}, err
	}
	return statusReportOf(settings, rules), nil
}

// statusOf returns the status of one rule.
func (o *options) statusOf(ctx context.Context, args []string) (statusReport, error) {
	i, rule, err := o.ruleIn(ctx, args)
	if err != nil {
		return statusReport{}, err
	}
	found := statusReportOf(i.settings, access.Rules{Items: []access.Rule{rule}})
	found.isOne = true
	return found, nil
}

func statusReportOf(settings access.Settings, rules access.Rules) statusReport {
	found := statusReport{Operator: settings, Rules: []ruleInfo{}, Unknown: rules.Unknown}
	for _, rule := range rules.Items {
		info := infoOf(rule, settings)
		found.Rules = append(found.Rules, info)
		if info.Ready != string(metav1.ConditionTrue) {
			found.NotReady++
		}
		switch {
		case info.InSync == nil:
		case info.hasNamespaces:
			found.Namespaces += int(*info.InSync)
		default:
			found.Copies += int(*info.InSync)
		}
	}
	sortRules(found.Rules)
	return found
}

// sortRules sorts rules by kind, namespace and name.
func sortRules(rules []ruleInfo) {
	slices.SortFunc(rules, compareRules)
}

func compareRules(a, b ruleInfo) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func (r statusReport) report(out *output, now time.Time) report {
	names := make([]string, len(r.Rules))
	for i, rule := range r.Rules {
		names[i] = rule.fullName()
	}
	return report{kind: "Status", data: r, names: names, text: func(w io.Writer) error { return r.print(w, out, now) }}
}

func (r statusReport) print(w io.Writer, out *output, now time.Time) error {
	if err := r.rows(w, out, now); err != nil || out.noHeaders {
		return err
	}
	text := fmt.Sprintf("%s, %d not ready, %s in sync", count(len(r.Rules), "rule", "rules"), r.NotReady, count(r.Copies, "copy", "copies"))
	if r.Namespaces > 0 {
		text += ", and those of several sources in " + count(r.Namespaces, "namespace", "namespaces")
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// rows prints the operator and the rules.
func (r statusReport) rows(w io.Writer, out *output, now time.Time) error {
	if !out.noHeaders {
		if _, err := fmt.Fprintf(w, "%s\n\n", describeOperator(r.Operator)); err != nil {
			return err
		}
	}
	if err := printRules(w, out, r.Rules, now); err != nil {
		return err
	}
	if r.isOne {
		if err := r.Rules[0].printClusters(w); err != nil {
			return err
		}
	}
	for _, resource := range r.Unknown {
		if _, err := fmt.Fprintf(w, "%s: you may not list %s\n", unknownValue, resource); err != nil {
			return err
		}
	}
	return nil
}

// printRules prints a row for each rule.
func printRules(w io.Writer, out *output, rules []ruleInfo, now time.Time) error {
	if len(rules) == 0 {
		return nil
	}
	rows := make([][]string, len(rules))
	for i, rule := range rules {
		rows[i] = rowOfRule(rule, age(now, rule.Since))
	}
	return out.table(w, columns("Namespace", "Rule", "Source", "In-Sync", "Ready", "Reason", "Since", "+Message"), rows)
}

func rowOfRule(rule ruleInfo, since string) []string {
	return []string{rule.Namespace, rule.argument(), rule.Source, rule.inSync(), rule.Ready, rule.reason(), since, rule.Message}
}

// reason returns the reason of the condition Ready, or what explains that it is not up to date.
func (i ruleInfo) reason() string {
	switch {
	case i.NotServed:
		return reasonRuleNotSelected
	case i.Deleted:
		return reasonTerminating
	default:
		return i.Reason
	}
}

// describeOperator describes the installation in a line.
func describeOperator(settings access.Settings) string {
	if !settings.Known {
		return "Operator: " + unknownValue + " (no ConfigMap projection-info that you may read)"
	}
	text := fmt.Sprintf("Operator: %s in %s, source mode %s", settings.Version, settings.Namespace, settings.Mode)
	if len(settings.Excluded) > 0 {
		text += ", excludes " + strings.Join(settings.Excluded, ",")
	}
	if settings.Selector != "" {
		text += ", serves rules with " + settings.Selector
	}
	return text
}

func age(now time.Time, since *metav1.Time) string {
	if since == nil {
		return "-"
	}
	return duration.HumanDuration(now.Sub(since.Time))
}

func count(number int, one, many string) string {
	if number == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", number, many)
}
