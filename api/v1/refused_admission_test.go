package v1_test

import (
	"testing"

	v1 "projection.sh/operator/api/v1"
)

const (
	noAPIVersion = "spec.source.apiVersion: Forbidden: source has no apiVersion: write group and version instead, such as group: apps for apps/v1, and leave group out for v1"

	ownNamespace = "spec.destination.namespace: Forbidden: the copy is always written into the namespace of the Projection: remove namespace, and create the Projection in the namespace that is to have the copy"
	ownSelector  = "spec.destination.selector: Forbidden: a Projection has one copy, in its own namespace: remove selector, or create a ClusterProjection with destination.namespaceSelector"

	ownRollout = "spec.rollout: Forbidden: a Projection has one copy, so there are no waves: remove rollout, or create a ClusterProjection"

	noValue      = "spec.overlay.fields[0].value: Forbidden: write expression instead: a fixed text has quotes inside of it, such as expression: \"'production'\", and a number has none, such as expression: \"3\""
	noExpression = "spec.overlay.fields[0].expression: Required: write a CEL expression for the value: a fixed text has quotes inside of it, such as \"'production'\", and a number has none, such as \"3\""

	noNamespace = "spec.destination.namespace: Forbidden: destination has no namespace: list the target namespaces in namespaces, such as namespaces: [tenant-a]"
	noSelector  = "spec.destination.selector: Forbidden: destination has no selector: write namespaceSelector instead, with matchLabels or matchExpressions"
)

// Users of other tools write these fields. Each gets one sentence that says what to write instead.
func TestFieldsOfOtherToolsAreRefusedWithAHint(t *testing.T) {
	bothKinds(t, []admission{
		{name: "apiVersion", spec: `source: {apiVersion: apps/v1, kind: Deployment, namespace: a, name: b}`, want: []string{noAPIVersion}},
		{name: "value", spec: anySource + `overlay: {fields: [{path: data.stage, value: production}]}`, want: []string{noValue}},
		{name: "value that is a number", spec: anySource + `overlay: {fields: [{path: spec.replicas, value: 3}]}`, want: []string{noValue}},
		{name: "value beside an expression", spec: anySource + `overlay: {fields: [{path: data.stage, value: "", expression: "'a'"}]}`, want: []string{noValue}},
		{name: "no expression", spec: anySource + `overlay: {fields: [{path: data.stage}]}`, want: []string{noExpression}},
		{name: "apiVersion of the core group", spec: `source: {apiVersion: v1, kind: Secret, namespace: a, name: b}`, want: []string{noAPIVersion}},
	})
	admit(t, v1.KindProjection, []admission{
		{name: "namespace", spec: anySource + `destination: {namespace: tenant-a}`, want: []string{ownNamespace}},
		{name: "selector", spec: anySource + `destination: {selector: {matchLabels: {team: web}}}`, want: []string{ownSelector}},
		{name: "rollout", spec: anySource + `rollout: {waves: [{namespaceSelector: {}}]}`, want: []string{ownRollout}},
		{name: "both", spec: anySource + `destination: {name: x, namespace: tenant-a, selector: {}}`, want: []string{ownNamespace, ownSelector}},
	})
	admit(t, v1.KindClusterProjection, []admission{
		{name: "namespace", spec: anySource + `destination: {namespace: tenant-a}`, want: []string{noNamespace}},
		{name: "namespace that is no name", spec: anySource + `destination: {namespace: "*"}`, want: []string{noNamespace}},
		{name: "selector", spec: anySource + `destination: {selector: {matchLabels: {team: web}, matchExpressions: [{key: a, operator: Exists}]}}`, want: []string{noSelector}},
		{name: "selector beside the right one", spec: anySource + `destination: {namespaceSelector: {}, selector: {}}`, want: []string{noSelector}},
	})
}
