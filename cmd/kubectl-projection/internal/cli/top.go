package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

const topLong = `Show which rules have the most and the largest copies.

COPIES are those in sync, and FAILED the namespaces without one or with a copy that could not be updated, as the operator reports them. SIZE is
that of one copy, as JSON, as the operator applies it now in the first namespace of the rule; of a rule that selects its sources, it is the mean. TOTAL is
COPIES times SIZE. Of a ClusterProjection that selects its sources, the operator counts namespaces: COPIES are the copies that the rule wants, times the
share of its namespaces that are in sync. What the API server adds to an object does not count. SIZE is ? if you may not read the source or the namespaces.`

const topExample = `  # The ClusterProjections, and the Projections of the namespace of the context: the rules with the most copies first
  kubectl projection top

  # All rules, those whose copies take the most room first
  kubectl projection top --all-namespaces --sort-by=bytes

  # The numbers, for programs
  kubectl projection top -A -o json`

// ruleLoad is how many copies a rule has, and how large they are.
type ruleLoad struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Source    string `json:"source"`
	// Copies are those in sync; nil: the operator has not counted them.
	Copies *int64 `json:"copies,omitempty"`
	// BytesPerCopy is the size of one copy, and Bytes that of all; nil: there is none, or it is not known.
	BytesPerCopy *int64 `json:"bytesPerCopy,omitempty"`
	Bytes        *int64 `json:"bytes,omitempty"`
	// Failed counts namespaces.
	Failed int32 `json:"failed"`
	// Unknown says why the size is not known.
	Unknown string `json:"unknown,omitempty"`
}

// topReport are the rules with their loads.
type topReport struct {
	Rules []ruleLoad `json:"rules"`
	// Copies and Bytes are those of all rules of which they are known.
	Copies int64 `json:"copies"`
	Bytes  int64 `json:"bytes"`
	// Unknown are the resources of rules that the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
}

func newTop(o *options) *cobra.Command {
	var out output
	var everywhere bool
	var selector, sortBy string
	command := &cobra.Command{
		Use:     "top",
		Short:   "Show which rules have the most and the largest copies",
		Long:    topLong,
		Example: topExample,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			if orders[sortBy] == nil {
				return fmt.Errorf("--sort-by is %s, not %q", strings.Join(orderNames, ", "), sortBy)
			}
			namespace, err := o.namespace()
			if err != nil {
				return err
			}
			if everywhere {
				namespace = ""
			}
			found, err := o.top(command.Context(), namespace, selector)
			if err != nil {
				return err
			}
			slices.SortStableFunc(found.Rules, orders[sortBy])
			return out.print(o.Out, found.report(&out))
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	addRuleFlags(command, &everywhere, &selector)
	command.Flags().StringVar(&sortBy, "sort-by", byCopies, "What comes first. One of: ("+strings.Join(orderNames, ", ")+").")
	_ = command.RegisterFlagCompletionFunc("sort-by", cobra.FixedCompletions(orderNames, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return command
}

// top returns the rules, in the order of their names.
func (o *options) top(ctx context.Context, namespace, selector string) (topReport, error) {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return topReport{}, err
	}
	rules, err := cluster.Rules(ctx, namespace, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return topReport{}, err
	}
	slices.SortFunc(rules.Items, func(a, b access.Rule) int { return compareRules(infoOf(a, settings), infoOf(b, settings)) })
	found := topReport{Rules: make([]ruleLoad, len(rules.Items)), Unknown: rules.Unknown}
	forecaster := forecast.New(ctx, cluster, settings, cluster.AllNamespaces())
	err = measure(ctx, cluster, forecaster, rules.Items, func(i int, size forecast.Size) {
		found.Rules[i] = loadOf(rules.Items[i], infoOf(rules.Items[i], settings), size)
	})
	for _, rule := range found.Rules {
		found.Copies += valueOr(rule.Copies, 0)
		found.Bytes += valueOr(rule.Bytes, 0)
	}
	return found, err
}

// maxMeasured is how many rules are measured at a time. Each has the content of a source.
const maxMeasured = 8

// measure calls the function with the size of the copies of each rule, and the number of the rule.
func measure(ctx context.Context, cluster *access.Cluster, forecaster *forecast.Forecaster, rules []access.Rule, do func(int, forecast.Size)) error {
	requests, ctx := errgroup.WithContext(ctx)
	requests.SetLimit(maxMeasured)
	for i, rule := range rules {
		requests.Go(func() error {
			measuring := forecaster
			if rule.Kind.Namespaced { // those of ClusterProjections are listed once
				measuring = forecaster.With(cluster.NamespacesOf(rule.Identity))
			}
			size, err := measuring.SizeOf(ctx, rule)
			do(i, size)
			return err
		})
	}
	return requests.Wait()
}

// copiesOf returns how many copies are in sync; nil: that is not known. The status of a ClusterProjection counts namespaces, and these may have copies of
// several sources, though not each of all, since owners consent for some namespaces only.
func copiesOf(rule access.Rule, info ruleInfo, size forecast.Size) *int64 {
	switch {
	case info.InSync == nil:
		return nil
	case !rule.Spec.Selects() || *info.InSync == 0:
		return new(int64(*info.InSync))
	case size.Unknown != "" || info.Wanted == nil || *info.Wanted == 0:
		return nil
	default:
		return new(int64(size.Copies) * int64(*info.InSync) / int64(*info.Wanted))
	}
}

// loadOf returns the load of a rule of which the operator reports the info.
func loadOf(rule access.Rule, info ruleInfo, size forecast.Size) ruleLoad {
	load := ruleLoad{Kind: info.Kind, Namespace: info.Namespace, Name: info.Name, Source: info.Source, Failed: info.Failed, Unknown: size.Unknown}
	load.Copies = copiesOf(rule, info, size)
	if size.Unknown == "" && size.Copies > 0 {
		load.BytesPerCopy = new(int64(size.Bytes / size.Copies))
	}
	if load.Copies != nil && load.BytesPerCopy != nil {
		load.Bytes = new(*load.Copies * int64(size.Bytes) / int64(size.Copies))
	}
	return load
}
