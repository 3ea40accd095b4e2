package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

const eventsLong = `List the events about rules, the newest last.

Events about ClusterProjections are in the namespace default. With an argument, only those are listed that are about the rule or, if the argument is no
rule, those that name the object as the copy that they are about.`

const eventsExample = `  # Events about ClusterProjections, and about the Projections of the namespace
  kubectl projection events

  # Events about one rule
  kubectl projection events clusterprojection/base

  # What the operator did to one copy
  kubectl projection events configmap/app-config -n web-1`

// eventInfo is an event about a rule.
type eventInfo struct {
	LastSeen metav1.Time `json:"lastSeen"`
	Count    int32       `json:"count"`
	Type     string      `json:"type"`
	Reason   string      `json:"reason"`
	Action   string      `json:"action,omitempty"`
	Rule     string      `json:"rule"`
	Copy     string      `json:"copy,omitempty"`
	Message  string      `json:"message"`
}

// eventsReport are events, from the oldest to the newest.
type eventsReport struct {
	Events []eventInfo `json:"events"`
	// Unknown are the namespaces whose events the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
}

func newEvents(o *options) *cobra.Command {
	var out output
	var everywhere bool
	command := &cobra.Command{
		Use:     "events [TYPE/NAME | TYPE NAME]",
		Short:   "List the events about rules",
		Long:    eventsLong,
		Example: eventsExample,
		Args:    cobra.MaximumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			found, err := o.events(command.Context(), args, everywhere)
			if err != nil {
				return err
			}
			return out.print(o.Out, report{kind: "Events", data: found, text: func(w io.Writer) error { return found.print(w, &out, o.now()) }})
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML)
	command.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "If present, list the events about Projections in all namespaces.")
	return command
}

func (o *options) events(ctx context.Context, args []string, everywhere bool) (*eventsReport, error) {
	namespace, err := o.namespace()
	if err != nil {
		return nil, err
	}
	cluster, err := access.New(o.flags, o.userAgent())
	if err != nil {
		return nil, err
	}
	concerns := func(*corev1.Event) bool { return true }
	if len(args) > 0 {
		object, err := parseObject(cluster.Mapper, args)
		if err != nil {
			return nil, err
		}
		concerns = object.concernedBy(namespace)
	}
	if everywhere {
		namespace = metav1.NamespaceAll
	}
	found := &eventsReport{Events: []eventInfo{}}
	for kind, in := range map[owner.RuleKind]string{owner.Projection: namespace, owner.ClusterProjection: metav1.NamespaceDefault} {
		if err := found.add(ctx, cluster, kind, in, concerns); err != nil {
			return nil, err
		}
	}
	slices.Sort(found.Unknown)
	slices.SortStableFunc(found.Events, func(a, b eventInfo) int {
		return cmp.Or(a.LastSeen.Compare(b.LastSeen.Time), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Message, b.Message))
	})
	return found, nil
}

// concernedBy returns a function that reports whether an event is about the rule, or names the object in the namespace as a copy.
func (n named) concernedBy(namespace string) func(*corev1.Event) bool {
	if kind, isRule := n.ruleKind(); isRule {
		return func(event *corev1.Event) bool {
			about := event.InvolvedObject
			return about.Kind == kind.Name && about.Name == n.name && (!kind.Namespaced || about.Namespace == namespace)
		}
	}
	return func(event *corev1.Event) bool {
		related := event.Related
		return related != nil && related.Kind == n.kind.Kind && related.GroupVersionKind().Group == n.kind.Group &&
			related.Namespace == namespace && related.Name == n.name
	}
}

// add adds the events in the namespace that are about rules of the kind.
func (r *eventsReport) add(ctx context.Context, cluster *access.Cluster, kind owner.RuleKind, namespace string, concerns func(*corev1.Event) bool) error {
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("involvedObject.kind", kind.Name).String()}
	err := cluster.EachObject(ctx, corev1.SchemeGroupVersion.WithResource("events"), namespace, options, func(object *unstructured.Unstructured) error {
		event := &corev1.Event{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, event); err != nil {
			return err
		}
		if concerns(event) {
			r.Events = append(r.Events, eventInfoOf(event))
		}
		return nil
	})
	if access.IsUnknown(err) {
		r.Unknown = append(r.Unknown, cmp.Or(namespace, "all namespaces"))
		return nil
	}
	return err
}

func eventInfoOf(event *corev1.Event) eventInfo {
	info := eventInfo{
		LastSeen: event.LastTimestamp, Count: max(event.Count, 1), Type: event.Type, Reason: event.Reason, Action: event.Action,
		Rule: nameOf(event.InvolvedObject), Message: event.Message,
	}
	if info.LastSeen.IsZero() {
		info.LastSeen = metav1.NewTime(event.EventTime.Time)
	}
	if event.Series != nil {
		info.Count, info.LastSeen = event.Series.Count, metav1.NewTime(event.Series.LastObservedTime.Time)
	}
	if event.Related != nil {
		info.Copy = nameOf(*event.Related)
	}
	return info
}

func nameOf(object corev1.ObjectReference) string {
	if object.Namespace == "" {
		return object.Kind + " " + object.Name
	}
	return object.Kind + " " + object.Namespace + "/" + object.Name
}

func (r *eventsReport) print(w io.Writer, out *output, now time.Time) error {
	rows := make([][]string, len(r.Events))
	for i, event := range r.Events {
		rows[i] = []string{age(now, &event.LastSeen), event.Type, event.Reason, event.Rule, event.Copy, strconv.Itoa(int(event.Count)), event.Message}
	}
	if len(rows) > 0 {
		if err := out.table(w, columns("Last-Seen", "Type", "Reason", "Rule", "Copy", "+Count", "Message"), rows); err != nil {
			return err
		}
	}
	for _, namespace := range r.Unknown {
		if _, err := fmt.Fprintf(w, "%s: you may not list events in %s\n", unknownValue, namespace); err != nil {
			return err
		}
	}
	if len(rows) == 0 && len(r.Unknown) == 0 {
		_, err := fmt.Fprintln(w, "No events found.")
		return err
	}
	return nil
}
