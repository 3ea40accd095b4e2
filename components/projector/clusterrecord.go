package projector

import (
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// recordedClusters returns the clusters in which the rule may have copies, with their identities. What cannot be read is passed over.
func recordedClusters(rule client.Object) map[string]string {
	recorded := map[string]string{}
	for entry := range strings.SplitSeq(rule.GetAnnotations()[v1.AnnotationWrittenClusters], ",") {
		if name, identity := parseRecorded(entry); identity != "" {
			recorded[name] = identity
		}
	}
	return recorded
}

// RecordedIdentity returns the identity of one of the clusters in which the rule may have copies; empty: the rule does not record it. It is found fast if
// the record is as the operator writes it: in alphabetical order.
func RecordedIdentity(rule client.Object, cluster string) (identity string) {
	text := rule.GetAnnotations()[v1.AnnotationWrittenClusters]
	if identity, found := searchRecorded(text, cluster); found || !strings.Contains(text, cluster) {
		return identity
	}
	return recordedClusters(rule)[cluster]
}

// searchRecorded looks for the cluster by halving the text.
func searchRecorded(text, cluster string) (identity string, found bool) {
	for len(text) > 0 {
		begin := strings.LastIndexByte(text[:len(text)/2], ',') + 1
		entry, after, _ := strings.Cut(text[begin:], ",")
		name, recorded := parseRecorded(entry)
		switch order := strings.Compare(cluster, name); {
		case order == 0:
			if later, isTwice := searchRecorded(after, cluster); isTwice {
				recorded = later
			}
			return recorded, recorded != ""
		case order > 0:
			text = after
		default:
			text = text[:max(0, begin-1)]
		}
	}
	return "", false
}

// parseRecorded returns what an entry of the record says; nothing if it cannot be read.
func parseRecorded(entry string) (name, identity string) {
	name, identity, _ = strings.Cut(strings.TrimSpace(entry), "=")
	if name == "" || identity == "" {
		return "", ""
	}
	return name, identity
}

// record is what a rule records of clusters, as it was parsed last.
type record struct {
	text     string // of the annotation
	clusters map[string]string
}

// recorded returns recordedClusters of the rule. It must not be changed.
func (s *scope[O]) recorded() map[string]string {
	text := s.rule.GetAnnotations()[v1.AnnotationWrittenClusters]
	if s.record.clusters == nil || s.record.text != text {
		s.record = record{text: text, clusters: recordedClusters(s.rule)}
	}
	return s.record.clusters
}

// setRecorded sets what the rule records of clusters.
func (s *scope[O]) setRecorded(clusters map[string]string) {
	s.setAnnotation(v1.AnnotationWrittenClusters, formatClusters(clusters))
}

func formatClusters(clusters map[string]string) string {
	entries := make([]string, 0, len(clusters))
	for _, name := range slices.Sorted(maps.Keys(clusters)) {
		entries = append(entries, name+"="+clusters[name])
	}
	return strings.Join(entries, ",")
}
