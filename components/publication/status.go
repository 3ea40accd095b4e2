package publication

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
)

func groupKind(group, kind string) schema.GroupKind {
	return schema.GroupKind{Group: group, Kind: kind}
}

// survey is what the status of a PublishedResource follows from.
type survey struct {
	accepted    *problem // why the spec cannot be used; nil: it can
	definition  v1alpha1.DefinitionCounts
	objects     v1alpha1.ObjectCounts
	definitions []v1alpha1.PublishedFailure
	failures    []v1alpha1.PublishedFailure
	stalled     bool
	pending     int  // objects and definitions that are not looked at yet
	suspended   bool // nothing is written
	deleting    bool
	left        map[string]int // copies, by the names of clusters
	noStatus    bool           // the kind has no subresource status
}

// status returns the status of the PublishedResource.
func (p *publication) status(resource *v1alpha1.PublishedResource, accepted *problem) v1alpha1.PublishedResourceStatus {
	s := p.survey(accepted)
	s.deleting, s.suspended = resource.DeletionTimestamp != nil, resource.Spec.Suspend
	status := *resource.Status.DeepCopy()
	status.ObservedGeneration = resource.Generation
	status.Definition, status.Objects = s.definition, s.objects
	status.Failures = slices.Concat(s.definitions, s.failures)
	status.Failures = status.Failures[:min(len(status.Failures), v1alpha1.MaxPublishedFailures)]
	conditions := []metav1.Condition{s.conditionAccepted(), s.conditionInstalled(), s.conditionSynced()}
	ready := conditions[len(conditions)-1]
	for _, condition := range slices.Backward(conditions) {
		if condition.Status != metav1.ConditionTrue {
			ready = condition
		}
	}
	ready.Type = v1alpha1.ConditionReady
	conditions = append(conditions, ready)
	meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionStalled)
	if ready.Status == metav1.ConditionFalse && s.stalled {
		ready.Type, ready.Status = v1alpha1.ConditionStalled, metav1.ConditionTrue
		if before := meta.FindStatusCondition(resource.Status.Conditions, ready.Type); before != nil {
			status.Conditions = append(status.Conditions, *before)
		}
		conditions = append(conditions, ready)
	}
	for _, condition := range conditions {
		condition.ObservedGeneration = resource.Generation
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	return status
}

func (p *publication) survey(accepted *problem) survey {
	s := survey{accepted: accepted, left: map[string]int{}}
	s.stalled = accepted != nil && accepted.stalled
	p.mu.Lock()
	defer p.mu.Unlock()
	s.noStatus = p.api != nil && !p.api.hasStatus
	if p.copies != nil {
		counts := p.copies.clusters()
		for _, c := range p.consumers {
			s.left[c.cluster] = counts[c.identity()]
		}
	}
	for _, c := range p.consumers {
		c.addTo(&s)
	}
	byPlace := func(a, b v1alpha1.PublishedFailure) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(s.definitions, byPlace)
	slices.SortFunc(s.failures, byPlace)
	return s
}

// addTo adds what is known of the consumer.
func (c *consumer) addTo(s *survey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leaving {
		s.definition.Consumers++
	}
	for key := range c.seen {
		if c.results[key] == nil && c.why[key] != 0 {
			s.pending++
		}
	}
	for key, result := range c.results {
		if key == definitionKey {
			c.addDefinition(s, result)
			continue
		}
		if result.accepted {
			s.objects.Accepted++
		}
		switch {
		case result.problem != nil:
			s.objects.Failed++
			s.stalled = s.stalled || result.stalled
			s.failures = append(s.failures, v1alpha1.PublishedFailure{
				Cluster: c.cluster, Namespace: key.Namespace, Name: key.Name, Reason: result.reason, Message: result.message,
			})
		case result.suspended:
			s.pending++
		case result.accepted:
			s.objects.InSync++
		}
	}
	if c.results[definitionKey] == nil && !c.leaving {
		s.pending++
	}
}

func (c *consumer) addDefinition(s *survey, result *result) {
	switch {
	case c.leaving:
	case result.problem != nil:
		s.definition.Failed++
		s.stalled = s.stalled || result.stalled
		s.definitions = append(s.definitions, v1alpha1.PublishedFailure{Cluster: c.cluster, Reason: result.reason, Message: result.message})
	case result.ready:
		s.definition.Installed++
	default:
		s.pending++
	}
}

func condition(of string, status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Type: of, Status: status, Reason: reason, Message: message}
}

func (s survey) conditionAccepted() metav1.Condition {
	if s.accepted != nil {
		return condition(v1alpha1.ConditionAccepted, metav1.ConditionFalse, s.accepted.reason, s.accepted.message)
	}
	return condition(v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted, "the kind can be offered")
}

func (s survey) conditionInstalled() metav1.Condition {
	of := v1alpha1.ConditionDefinitionInstalled
	switch {
	case s.accepted != nil:
		return condition(of, metav1.ConditionUnknown, s.accepted.reason, "the kind cannot be offered now; what is installed stays")
	case len(s.definitions) > 0:
		first := s.definitions[0]
		return condition(of, metav1.ConditionFalse, first.Reason, more(first.Message, len(s.definitions), "clusters"))
	case s.definition.Installed < s.definition.Consumers:
		return condition(of, metav1.ConditionUnknown, v1alpha1.ReasonSyncing,
			fmt.Sprintf("the kind is served in %d of %d clusters so far", s.definition.Installed, s.definition.Consumers))
	default:
		return condition(of, metav1.ConditionTrue, v1alpha1.ReasonDefinitionInstalled,
			fmt.Sprintf("the kind is served in %d clusters of consumers", s.definition.Installed))
	}
}

func (s survey) conditionSynced() metav1.Condition {
	of := v1alpha1.ConditionSynced
	switch {
	case s.deleting:
		return condition(of, metav1.ConditionFalse, v1alpha1.ReasonDeleting, s.waitsFor())
	case s.suspended:
		return condition(of, metav1.ConditionFalse, v1alpha1.ReasonSuspended, "nothing is written or deleted; remove spec.suspend to go on")
	case len(s.failures) > 0:
		first := s.failures[0]
		return condition(of, metav1.ConditionFalse, first.Reason, more(
			fmt.Sprintf("%s of %s: %s", objectName(first.Namespace, first.Name), first.Cluster, first.Message), len(s.failures), "objects"))
	case s.accepted != nil || s.pending > 0:
		return condition(of, metav1.ConditionUnknown, v1alpha1.ReasonSyncing, fmt.Sprintf("%d objects are in sync so far", s.objects.InSync))
	case s.noStatus:
		return condition(of, metav1.ConditionTrue, v1alpha1.ReasonStatusNotServed,
			fmt.Sprintf("%d objects are in sync; the kind has no subresource status, so none comes back", s.objects.InSync))
	default:
		return condition(of, metav1.ConditionTrue, v1alpha1.ReasonSynced, fmt.Sprintf("%d objects are in sync", s.objects.InSync))
	}
}

// waitsFor says what a publication that is being deleted waits for.
func (s survey) waitsFor() string {
	clusters, copies, first := 0, 0, ""
	for name, count := range s.left {
		clusters++
		copies += count
		if first == "" || name < first {
			first = name
		}
	}
	if clusters == 0 {
		return "the PublishedResource is being deleted"
	}
	waits := "it waits for the cluster " + first
	if clusters > 1 {
		waits = fmt.Sprintf("it waits for %d clusters, such as %s", clusters, first)
	}
	return fmt.Sprintf("the PublishedResource is being deleted, and %d copies are left; %s", copies, waits)
}

func objectName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

func more(message string, count int, of string) string {
	if count == 1 {
		return message
	}
	return fmt.Sprintf("%s (and %d more %s)", message, count-1, of)
}

func (r *reconciler) writeStatus(ctx context.Context, resource *v1alpha1.PublishedResource, status v1alpha1.PublishedResourceStatus) error {
	if equality.Semantic.DeepEqual(resource.Status, status) {
		return nil
	}
	resource.Status = status
	return client.IgnoreNotFound(r.options.Client.Status().Update(ctx, resource))
}
