package gitops_test

import (
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// Health in the words of Argo CD.
const (
	healthy     = "Healthy"
	progressing = "Progressing"
	degraded    = "Degraded"
)

// state is one that a rule can be in, and what tools are to make of it.
type state struct {
	// bring brings a rule into the state and returns it as it is then.
	bring   func(*world) *unstructured.Unstructured
	kstatus status.Status
	argo    string
}

// unseen applies a rule that the manager does not look at.
func unseen(rule string) func(*world) *unstructured.Unstructured {
	return func(w *world) *unstructured.Unstructured { return w.Apply(unlabelled(rule)) }
}

func unlabelled(rule string) string { return strings.Replace(rule, `served: ""`, "", 1) }

// settles applies the objects, the rule being the last, and waits until it says so.
func settles(reason string, manifests ...string) func(*world) *unstructured.Unstructured {
	return func(w *world) *unstructured.Unstructured {
		w.T.Helper()
		var last *unstructured.Unstructured
		for _, manifest := range manifests {
			last = w.Apply(manifest)
		}
		return w.says(last, reason)
	}
}

// states are all that differ for a tool, and every reason that can be brought about from outside.
var states = map[string]state{
	"not looked at":               {unseen(projection), status.InProgressStatus, progressing},
	"not looked at, of a fan-out": {unseen(clusterProjection), status.InProgressStatus, progressing},
	"in step":                     {settles(v1.ReasonProjected, source, projection), status.CurrentStatus, healthy},
	"in step, of a fan-out":       {settles(v1.ReasonProjected, source, clusterProjection), status.CurrentStatus, healthy},
	"NoMatchingNamespaces": {
		settles(v1.ReasonNoMatchingNamespaces, source, strings.Replace(clusterProjection, "namespaces: [$AWAY]", "namespaceSelector: {matchLabels: {nobody: $HOME}}", 1)),
		status.CurrentStatus, healthy,
	},
	"an edit that is not seen": {editedUnseen, status.InProgressStatus, progressing},
	"being deleted":            {deletedUnseen, status.TerminatingStatus, progressing},
	"being deleted, stalled":   {stalledDeletedUnseen, status.TerminatingStatus, progressing},
	"mended":                   {mended, status.CurrentStatus, healthy},

	"SourceNotFound": {settles(v1.ReasonSourceNotFound, projection), status.InProgressStatus, progressing},
	"SourceDeleted":  {sourceDeleted, status.FailedStatus, degraded},
	"SourceIncomplete": {
		settles(v1.ReasonSourceIncomplete, source, strings.Replace(projection, "spec: {", "spec: {content: {data: {include: [none]}}, ", 1)),
		status.InProgressStatus, progressing,
	},
	"RenderFailed": {
		settles(v1.ReasonRenderFailed, strings.Replace(source, "kind: ConfigMap,", "kind: ConfigMap, data: {a: red, b: blue},", 1),
			strings.Replace(projection, "spec: {", `spec: {content: {data: {rename: [{pattern: ".*", to: one}]}}, `, 1)),
		status.FailedStatus, degraded,
	},
	"SourceOptedOut":       {settles(v1.ReasonSourceOptedOut, strings.Replace(source, `"true"`, `"false"`, 1), projection), status.FailedStatus, degraded},
	"SourceNotProjectable": {settles(v1.ReasonSourceNotProjectable, strings.Replace(source, `"true"`, `""`, 1), clusterProjection), status.FailedStatus, degraded},
	"SourceResolutionFailed, no such kind": {
		settles(v1.ReasonSourceResolutionFailed, of(projection, "kind: ConfigMop, namespace: $HOME, name: it")), status.FailedStatus, degraded,
	},
	"SourceResolutionFailed, cluster-scoped": {
		settles(v1.ReasonSourceResolutionFailed, of(clusterProjection, "kind: Node, namespace: $HOME, name: it")), status.FailedStatus, degraded,
	},
	"SourceResolutionFailed, a silent API server": {
		silent, status.InProgressStatus, progressing,
	},
	"RemoteClustersDisabled": {
		settles(v1.ReasonRemoteClustersDisabled, of(projection, "cluster: east, kind: ConfigMap, namespace: $HOME, name: it")), status.FailedStatus, degraded,
	},
	"SourceFetchFailed, no right to read": {
		settles(v1.ReasonSourceFetchFailed, unreadable), status.FailedStatus, degraded,
	},
	"DestinationCreateFailed, no right to write": {
		settles(v1.ReasonDestinationCreateFailed, lease, of(projection, "group: coordination.k8s.io, kind: Lease, namespace: $HOME, name: it")),
		status.FailedStatus, degraded,
	},
	"DestinationCreateFailed, no namespace yet": {
		settles(v1.ReasonDestinationCreateFailed, source, strings.Replace(clusterProjection, "[$AWAY]", "[$AWAY, $AWAY-soon]", 1)),
		status.InProgressStatus, progressing,
	},
	"Suspended": {
		settles(v1.ReasonSuspended, source, strings.Replace(projection, "spec: {", "spec: {suspend: true, ", 1)), status.FailedStatus, degraded,
	},
	"RolloutInProgress": {
		settles(v1.ReasonRolloutInProgress, source, strings.Replace(clusterProjection, "namespaces: [$AWAY]}", "namespaces: [$AWAY, $HOME], name: staged}, "+
			"rollout: {minReadySeconds: 3600, maxUnavailable: 1}", 1)), status.InProgressStatus, progressing,
	},
	"RolloutHeld": {
		settles(v1.ReasonRolloutHeld, source, strings.Replace(clusterProjection, "namespaces: [$AWAY]}", "namespaces: [$AWAY, $HOME], name: App_Config}, rollout: {}", 1)),
		status.FailedStatus, degraded,
	},
	"Suspended, in step":         {suspendedInSync, status.CurrentStatus, healthy},
	"RuleInvalid":                {fromLaterVersion, status.FailedStatus, degraded},
	"DestinationWriteInProgress": {writeInProgress, status.InProgressStatus, progressing},
	"DestinationUpdateFailed":    {immutable, status.FailedStatus, degraded},
	"DestinationNotPermitted": {
		settles(v1.ReasonDestinationNotPermitted, strings.Replace(source, `"true"`, `"namespaces: team=nobody"`, 1), projection), status.FailedStatus, degraded,
	},
	"DestinationConflict": {settles(v1.ReasonDestinationConflict, source, foreign, projection), status.FailedStatus, degraded},
	"DestinationWriteFailed": {
		settles(v1.ReasonDestinationWriteFailed, source, foreign, strings.Replace(clusterProjection, "[$AWAY]", "[$AWAY, $AWAY-soon]", 1)),
		status.FailedStatus, degraded,
	},
}

// unreadable is a rule for a kind that the manager may not read.
var unreadable = of(projection, "group: policy, kind: PodDisruptionBudget, namespace: $HOME, name: it")

const (
	lease = `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, spec: {}}`

	secret = `
apiVersion: v1
kind: Secret
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
immutable: true
data: {k: %s}
`

	// silentAPI is an extension of the API that nobody serves.
	silentAPI = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.$HOME.example.com}
spec:
  group: $HOME.example.com
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {namespace: $HOME, name: nobody}
`
	unserve = `{"metadata":{"labels":{"served":null}}}`
	serve   = `{"metadata":{"labels":{"served":""}}}`
)

// editedUnseen takes a rule out of the manager's sight with the very edit.
func editedUnseen(w *world) *unstructured.Unstructured {
	rule := settles(v1.ReasonProjected, source, projection)(w)
	w.Merge(rule, `{"metadata":{"labels":{"served":null}},"spec":{"destination":{"name":"other"}}}`)
	return rule
}

func deletedUnseen(w *world) *unstructured.Unstructured {
	return vanishing(w, settles(v1.ReasonProjected, source, projection)(w))
}

func stalledDeletedUnseen(w *world) *unstructured.Unstructured {
	return vanishing(w, settles(v1.ReasonDestinationConflict, source, foreign, projection)(w))
}

// vanishing deletes a rule that keeps its finalizer.
func vanishing(w *world, rule *unstructured.Unstructured) *unstructured.Unstructured {
	w.Merge(rule, unserve)
	w.Delete(rule)
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
	return rule
}

// silent names a kind of an API that is listed, but does not answer.
func silent(w *world) *unstructured.Unstructured {
	w.T.Helper()
	w.Apply(silentAPI)
	client, err := discovery.NewDiscoveryClientForConfig(cluster.Config)
	require.NoError(w.T, err)
	require.Eventually(w.T, func() bool {
		_, _, err := client.ServerGroupsAndResourcesWithContext(w.T.Context())
		silent, partly := discovery.GroupDiscoveryFailedErrorGroups(err)
		_, listed := silent[schema.GroupVersion{Group: w.Home + ".example.com", Version: "v1"}]
		return partly && listed
	}, env.Timeout, env.Interval)
	rule := w.Apply(of(projection, "group: $HOME.example.com, kind: Thing, namespace: $HOME, name: it"))
	require.Eventually(w.T, func() bool { // the manager may know the API a moment later than we do
		rule = w.says(rule, v1.ReasonSourceResolutionFailed)
		return meta.FindStatusCondition(w.Conditions(rule), v1.ConditionStalled) == nil
	}, env.Timeout, env.Interval)
	return rule
}

func mended(w *world) *unstructured.Unstructured {
	rule := settles(v1.ReasonSourceOptedOut, strings.Replace(source, `"true"`, `"false"`, 1), projection)(w)
	w.Apply(source)
	return w.says(rule, v1.ReasonProjected)
}

func sourceDeleted(w *world) *unstructured.Unstructured {
	origin := w.Apply(source)
	rule := settles(v1.ReasonProjected, projection)(w)
	w.Delete(origin)
	return w.says(rule, v1.ReasonSourceDeleted)
}

// suspendedInSync is a rule that is suspended when its copy is in sync.
func suspendedInSync(w *world) *unstructured.Unstructured {
	w.Apply(source)
	rule := settles(v1.ReasonProjected, projection)(w)
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	return w.says(rule, v1.ReasonProjected)
}

// immutable replaces an immutable source behind the manager's back, so that its copy cannot follow.
func immutable(w *world) *unstructured.Unstructured {
	origin := w.Apply(strings.Replace(secret, "%s", "b25l", 1))
	rule := settles(v1.ReasonProjected, of(projection, "kind: Secret, namespace: $HOME, name: it"))(w)
	w.Merge(rule, unserve)
	// Nobody knows of which source the copy was written, so it is not replaced with the source.
	w.Merge(w.Exists(origin, w.Away, "it", func(*unstructured.Unstructured) bool { return true }), `{"metadata":{"annotations":{"`+v1.AnnotationSourceUID+`":null}}}`)
	w.Delete(origin)
	w.Apply(strings.Replace(secret, "%s", "dHdv", 1))
	w.Merge(rule, serve)
	return w.says(rule, v1.ReasonDestinationUpdateFailed)
}
