package publication

import (
	"context"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// tell sends an event to the consumer. That it is lost is no failure.
func (p *pass) tell(ctx context.Context, object *unstructured.Unstructured, severity, reason, note string) {
	namespace := object.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	note = p.forConsumer(note)
	if len(note) > maxNote {
		note = strings.ToValidUTF8(note[:maxNote], "")
	}
	event := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "events.k8s.io/v1", "kind": "Event", metadataField: map[string]any{
			"generateName": object.GetName()[:min(len(object.GetName()), maxName)] + "-", "namespace": namespace,
		},
		"regarding": map[string]any{
			"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "namespace": object.GetNamespace(), "name": object.GetName(),
			"uid": string(object.GetUID()), "resourceVersion": object.GetResourceVersion(),
		},
		"type": severity, "reason": reason, "note": note, "action": "Publish", "reportingController": v1.Domain, "reportingInstance": v1.Domain,
		"eventTime": metav1.NewMicroTime(time.Now()).Format(metav1.RFC3339Micro),
	}}
	_, err := p.at.Dynamic.Resource(eventKind).Namespace(namespace).Create(ctx, event, metav1.CreateOptions{})
	if err != nil {
		logError(ctx, err, "An event is lost", p.c.p.name)
	}
}

// forConsumer returns a message as the consumer gets it, who learns the name of no cluster.
func (p *pass) forConsumer(message string) string {
	return withoutName(withoutName(message, p.service, "the cluster of the service"), p.at, "this cluster")
}

// withoutName replaces the name of the cluster, and no longer name that begins with it.
func withoutName(message string, of *side, by string) string {
	if of == nil {
		return message
	}
	named := regexp.QuoteMeta(of.String())
	if of.name != "" {
		named = "the (?:RemoteC|c)luster " + regexp.QuoteMeta(of.name)
	}
	return regexp.MustCompile(named+`($|[.]?[^-.a-zA-Z0-9]|[.]$)`).ReplaceAllString(message, by+"$1")
}

const (
	// maxNote is how long the note of an event may be.
	maxNote = 1024
	// maxName is how much of the name of an object the name of an event has.
	maxName = 200
)
