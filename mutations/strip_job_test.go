package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStripJob(t *testing.T) {
	run(t, mutations.StripJob, kind("batch", "Job"), []row{
		{
			name: "generated selector and labels, by new and old names",
			before: `
metadata: {annotations: {batch.kubernetes.io/cronjob-scheduled-timestamp: x, note: kept}, labels: {app: shop}}
spec:
  manualSelector: false
  selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}
  template:
    metadata:
      labels: {app: batch, batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: j, controller-uid: u, job-name: j}
      annotations: {note: kept}
    spec: {restartPolicy: Never}`,
			after: `
metadata: {annotations: {note: kept}, labels: {app: shop}}
spec:
  manualSelector: false
  template:
    metadata: {labels: {app: batch}, annotations: {note: kept}}
    spec: {restartPolicy: Never}`,
		},
		{
			name: "a Job without labels shows those of its template",
			before: `
metadata: {name: a, labels: {batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: j, controller-uid: u, job-name: j}}
spec: {selector: {}, template: {metadata: {labels: {controller-uid: u, job-name: j}}}}`,
			after: `
metadata: {name: a}
spec: {template: {metadata: {}}}`,
		},
		{name: "a label of the author", before: `metadata: {labels: {job-name: nightly}}`},
		{
			name: "manual is kept whole",
			before: `
metadata: {labels: {controller-uid: chosen}}
spec:
  manualSelector: true
  selector: {matchLabels: {controller-uid: chosen}}
  template: {metadata: {labels: {controller-uid: chosen, job-name: chosen}}}`,
		},
	})
}
