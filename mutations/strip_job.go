package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// jobLabels are generated for every Job, under the name of today (key) and that of before Kubernetes 1.27 (value).
var jobLabels = map[string]string{
	"batch.kubernetes.io/controller-uid": "controller-uid",
	"batch.kubernetes.io/job-name":       "job-name",
}

// stripJob drops the selector that the API server generates from the uid of the Job, and the labels that go with it.
// The API server refuses those of another Job. Where the selector is manual, all of it is the author's and stays.
func stripJob(in Input) unstructured.Mutation {
	return strip(StripJob, in, allocated{
		kind: schema.GroupKind{Group: "batch", Kind: "Job"},
		annotations: []string{
			"batch.kubernetes.io/cronjob-scheduled-timestamp",
			"batch.kubernetes.io/job-tracking",
		},
		further: func(content map[string]any) {
			spec := child(content, specField)
			if manual, _ := spec["manualSelector"].(bool); manual {
				return
			}
			delete(spec, "selector")
			template := child(spec, "template", metadataField)
			removeEntries(template, labelsField, func(key, _ string) bool { return isJobLabel(key) })
			// A Job without labels of its own is shown with those of its template.
			removeJobLabels(child(content, metadataField))
		},
	})
}

func isJobLabel(key string) bool {
	for current, legacy := range jobLabels {
		if key == current || key == legacy {
			return true
		}
	}
	return false
}

// removeJobLabels drops the generated labels from metadata. A label by an old name that does not repeat the new one is
// the author's.
func removeJobLabels(metadata map[string]any) {
	labels := child(metadata, labelsField)
	for current, legacy := range jobLabels {
		if generated := text(labels, current); generated != "" && generated == text(labels, legacy) {
			delete(labels, legacy)
		}
		delete(labels, current)
	}
	if labels != nil && len(labels) == 0 {
		delete(metadata, labelsField)
	}
}
