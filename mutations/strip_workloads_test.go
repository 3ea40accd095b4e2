package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStripDeployment(t *testing.T) {
	run(t, mutations.StripDeployment, kind("apps", "Deployment"), []row{{
		name:   "the revision",
		before: `metadata: {annotations: {deployment.kubernetes.io/revision: "7", kubernetes.io/change-cause: kept}}`,
		after:  `metadata: {annotations: {kubernetes.io/change-cause: kept}}`,
	}})
}

func TestStripReplicaSet(t *testing.T) {
	run(t, mutations.StripReplicaSet, kind("apps", "ReplicaSet"), []row{
		{
			name: "what a Deployment notes",
			before: `
metadata:
  labels: {app: a, pod-template-hash: h}
  annotations:
    deployment.kubernetes.io/revision: "7"
    deployment.kubernetes.io/revision-history: 1,3
    deployment.kubernetes.io/desired-replicas: "2"
    deployment.kubernetes.io/max-replicas: "3"
spec:
  selector: {matchLabels: {app: a, pod-template-hash: h}}
  template: {metadata: {labels: {app: a, pod-template-hash: h}}}`,
			after: `
metadata: {labels: {app: a}}
spec:
  selector: {matchLabels: {app: a}}
  template: {metadata: {labels: {app: a}}}`,
		},
		{
			name: "expressions select, too",
			before: `
metadata: {}
spec: {selector: {matchLabels: {pod-template-hash: h}, matchExpressions: [{key: app, operator: Exists}]}}`,
			after: `
metadata: {}
spec: {selector: {matchExpressions: [{key: app, operator: Exists}]}}`,
		},
		{
			name: "a hash that is the only selector",
			before: `
metadata: {labels: {pod-template-hash: mine}}
spec: {selector: {matchLabels: {pod-template-hash: mine}}, template: {metadata: {labels: {pod-template-hash: mine}}}}`,
		},
	})
}

func TestStripDaemonSet(t *testing.T) {
	run(t, mutations.StripDaemonSet, kind("apps", "DaemonSet"), []row{{
		name:   "the generation of the template",
		before: `metadata: {name: a, annotations: {deprecated.daemonset.template.generation: "3"}}`,
		after:  `metadata: {name: a}`,
	}})
}

func TestStripStatefulSet(t *testing.T) {
	run(t, mutations.StripStatefulSet, kind("apps", "StatefulSet"), []row{{
		name:   "the status of claim templates",
		before: `spec: {volumeClaimTemplates: [{metadata: {name: a}, status: {phase: Pending}}, {metadata: {name: b}}]}`,
		after:  `spec: {volumeClaimTemplates: [{metadata: {name: a}}, {metadata: {name: b}}]}`,
	}})
}

func TestStripPodGroup(t *testing.T) {
	run(t, mutations.StripPodGroup, kind("scheduling.k8s.io", "PodGroup"), []row{{
		name:   "the computed priority",
		before: `spec: {priority: 1000, priorityClassName: high}`,
		after:  `spec: {priorityClassName: high}`,
	}})
}
