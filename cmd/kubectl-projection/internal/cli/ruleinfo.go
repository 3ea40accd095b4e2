package cli

import (
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/components/owner"
)

// ruleInfo is what the operator reports of a rule.
type ruleInfo struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Ready is the status of the condition Ready, or "?" if the caller may not read the rule.
	Ready   string       `json:"ready"`
	Reason  string       `json:"reason,omitempty"`
	Message string       `json:"message,omitempty"`
	Since   *metav1.Time `json:"since,omitempty"`
	Source  string       `json:"source,omitempty"`
	// InSync and Wanted count copies, or, of a ClusterProjection, namespaces; nil: the operator has not counted them.
	InSync *int32 `json:"inSync,omitempty"`
	Wanted *int32 `json:"wanted,omitempty"`
	// Failed counts namespaces. A Projection has one.
	Failed int32 `json:"failed,omitempty"`
	// Clusters counts the clusters that the rule copies into, and ClusterFailures says what is the matter with some; nil: the operator has reported nothing
	// of them, or the copies are in this cluster.
	Clusters        *v1.ClusterCounts   `json:"clusters,omitempty"`
	ClusterFailures []v1.ClusterFailure `json:"clusterFailures,omitempty"`
	// Suspended, Deleted and NotServed say why nothing may happen for the rule.
	Suspended bool `json:"suspended,omitempty"`
	Deleted   bool `json:"deleted,omitempty"`
	NotServed bool `json:"notServed,omitempty"`

	// skipped counts the namespaces that have no copy although the rule names or selects them.
	skipped int32
	source  forecast.Object
	// hasNamespaces reports whether the operator counts namespaces, although each may have copies of several sources.
	hasNamespaces bool
	// isPushed reports whether the copies are in other clusters.
	isPushed bool
}

// infoOf returns what the operator, which has the settings, reports of the rule.
func infoOf(rule access.Rule, settings access.Settings) ruleInfo {
	info := ruleInfo{
		Kind: rule.Kind.Name, Namespace: rule.Namespace, Name: rule.Name,
		Ready: string(metav1.ConditionUnknown), Source: sourceOf(rule), source: forecast.SourceOf(rule.Spec.Source),
		Suspended: rule.Spec.Suspended, Deleted: rule.Object.GetDeletionTimestamp() != nil,
		hasNamespaces: !rule.Kind.Namespaced && rule.Spec.Selects(),
		NotServed:     settings.Known && !settings.Serves(rule.Object.GetLabels()),
	}
	info.source.Cluster = rule.SourceCluster
	if info.isPushed = rule.Clusters != nil; info.isPushed {
		info.Clusters, info.ClusterFailures = rule.Reported()
	}
	if ready := rule.Condition(v1.ConditionReady); ready != nil {
		info.Ready, info.Reason, info.Message, info.Since = string(ready.Status), ready.Reason, ready.Message, &ready.LastTransitionTime
		if ready.ObservedGeneration != rule.Object.GetGeneration() {
			info.Ready = string(metav1.ConditionUnknown)
		}
	}
	switch object := rule.Object.(type) {
	case *v1.ClusterProjection:
		info.InSync, info.Wanted = object.Status.NamespacesWritten, object.Status.NamespacesTargeted
		if object.Status.NamespacesFailed != nil {
			info.Failed = *object.Status.NamespacesFailed
		}
		if object.Status.NamespacesSkipped != nil {
			info.skipped = *object.Status.NamespacesSkipped
		}
	case *v1.Projection:
		info.InSync, info.Wanted = countOne(rule)
		if hasFailed(rule.Condition(v1.ConditionDestinationWritten)) {
			info.Failed = 1
		}
	}
	return info
}

// hasFailed reports whether a copy could not be written.
func hasFailed(written *metav1.Condition) bool {
	if written == nil || written.Status == metav1.ConditionTrue {
		return false
	}
	switch written.Reason {
	case v1.ReasonRenderFailed, v1.ReasonDestinationCreateFailed, v1.ReasonDestinationUpdateFailed, v1.ReasonDestinationNotPermitted,
		v1.ReasonDestinationConflict, v1.ReasonDestinationNotHealthy, v1.ReasonDestinationWriteFailed, v1.ReasonDestinationFetchFailed:
		return true
	default:
		return false
	}
}

// countOne counts the copies of a Projection, which its status does not count. Of several, it is not known how many are in sync unless all are.
func countOne(rule access.Rule) (inSync, wanted *int32) {
	written := rule.Condition(v1.ConditionDestinationWritten)
	if written == nil {
		return nil, nil
	}
	copies := int32(1)
	if sources := rule.Object.GetCommonStatus().Sources; sources != nil && rule.Spec.Selects() {
		copies = *sources
	}
	switch {
	case written.Status == metav1.ConditionTrue:
		return &copies, &copies
	case copies == 1:
		return new(int32(0)), &copies
	default:
		return nil, &copies
	}
}

// unreadable is what is known of a rule that the caller may not read.
func unreadable(kind owner.RuleKind, namespace, name string) ruleInfo {
	return ruleInfo{Kind: kind.Name, Namespace: namespace, Name: name, Ready: unknownValue}
}

// unreadableRule is what is known of a rule of that name. The namespace does not count for one of the cluster.
func unreadableRule(kind owner.RuleKind, namespace, name string) ruleInfo {
	if !kind.Namespaced {
		namespace = ""
	}
	return unreadable(kind, namespace, name)
}

// String names the rule as sentences of the operator do.
func (i ruleInfo) String() string {
	if i.Namespace == "" {
		return i.Kind + " " + i.Name
	}
	return i.Kind + " " + i.Namespace + "/" + i.Name
}

// argument names the rule as commands take it.
func (i ruleInfo) argument() string { return strings.ToLower(i.Kind) + "/" + i.Name }

// fullName names the rule as kubectl get -o name does.
func (i ruleInfo) fullName() string { return strings.ToLower(i.Kind) + "." + v1.Domain + "/" + i.Name }

// state says in a line what the operator reports.
func (i ruleInfo) state() string {
	parts := []string{"Ready=" + i.Ready}
	if i.Reason != "" {
		parts = append(parts, i.Reason)
	}
	for _, is := range []struct {
		so   bool
		word string
	}{
		{i.Suspended && i.Reason != v1.ReasonSuspended, "suspended"},
		{i.Deleted, "being deleted"},
		{i.NotServed, "not reconciled by the operator: --watch-label-selector"},
	} {
		if is.so {
			parts = append(parts, is.word)
		}
	}
	return strings.Join(parts, ", ")
}

// copies counts the copies that are in sync, of those that are wanted. Of a rule whose copies are in other clusters, it counts these.
func (i ruleInfo) copies() string {
	switch {
	case i.Ready == unknownValue:
		return unknownValue
	case i.isPushed && i.Clusters == nil:
		return "-/- clusters"
	case i.isPushed:
		return number(&i.Clusters.InSync) + "/" + number(&i.Clusters.Targeted) + " clusters"
	}
	return number(i.InSync) + "/" + number(i.Wanted)
}

// inSync says what is in sync, and that these are namespaces if they may have several copies.
func (i ruleInfo) inSync() string {
	if i.hasNamespaces && !i.isPushed {
		return i.copies() + " namespaces"
	}
	return i.copies()
}

func number(count *int32) string { return numberOr(count, "-") }

// numberOr returns the number, or the word if there is none.
func numberOr[N int32 | int64](number *N, none string) string {
	if number == nil {
		return none
	}
	return strconv.FormatInt(int64(*number), 10)
}

// sourceOf names what the rule copies.
func sourceOf(rule access.Rule) string {
	spec := rule.Spec
	name := spec.Source.Name
	if spec.Source.Selector != nil {
		name = metav1.FormatLabelSelector(spec.Source.Selector.LabelSelector())
	}
	text := spec.Source.Kind + " " + spec.Source.Namespace + "/" + name
	if rule.SourceCluster != "" {
		text += " in the cluster " + rule.SourceCluster
	}
	switch layers := len(spec.Merge.Layers); layers {
	case 0:
		return text
	case 1:
		return text + " and 1 layer"
	default:
		return text + " and " + strconv.Itoa(layers) + " layers"
	}
}
