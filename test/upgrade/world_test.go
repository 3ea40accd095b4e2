package upgrade_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// world is a source and two namespaces for its copies. A test has one, and the cluster for itself.
type world struct {
	*fixture.World
	user string // of the manager, in the audit log
}

var worlds atomic.Int64

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: fixture.NewEmpty(t, cluster.Config), user: fmt.Sprintf("operator-%d", worlds.Add(1))}
	w.define(committed)
	for namespace, group := range map[string]string{w.home(): "none", w.away("a"): w.user, w.away("b"): w.user} {
		w.create(fmt.Sprintf(`{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {world: %s}}}`, namespace, group))
	}
	w.create(w.source())
	return w
}

func (w *world) home() string            { return "home-" + w.user }
func (w *world) away(role string) string { return role + "-" + w.user }

func (w *world) source() string {
	return fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: %s, annotations: {projection.sh/projectable: "true"}},
  data: {public: "1", private: "2"}}`, w.home())
}

// projection is the manifest of a Projection into namespace a, with what is added to its spec.
func (w *world) projection(name, more string) string {
	return fmt.Sprintf(`{apiVersion: projection.sh/v1, kind: Projection, metadata: {name: %s, namespace: %s},
  spec: {source: {kind: ConfigMap, namespace: %s, name: settings}, %s}}`, name, w.away("a"), w.home(), more)
}

// fanOut is the manifest of a ClusterProjection into namespaces a and b, whose copies have its name, with what is added to
// its requirement and its spec.
func (w *world) fanOut(name, requirement, more string) string {
	return fmt.Sprintf(`{apiVersion: projection.sh/v1, kind: ClusterProjection, metadata: {name: %s-%s}, spec: {
  source: {kind: ConfigMap, namespace: %s, name: settings},
  destination: {name: %s, namespaceSelector: {matchExpressions: [{key: world, operator: In, values: [%s]%s}]}}, %s}}`,
		name, w.user, w.home(), name, w.user, requirement, more)
}

// create creates the object. What the test makes it removes: rules first, so that none is left to hold on to anything.
func (w *world) create(manifest string) *unstructured.Unstructured {
	w.T.Helper()
	object := w.Create(manifest)
	w.T.Cleanup(func() { w.Delete(object) })
	return object
}

// serve runs a manager with every right until the test ends.
func (w *world) serve() {
	w.T.Helper()
	w.serveAs("system:masters")
}

// serveAs runs a manager with the rights of the group until the test ends.
func (w *world) serveAs(group string) {
	w.T.Helper()
	config, err := cluster.ConfigFor(w.user, group)
	require.NoError(w.T, err)
	operator := manager.Start(config, func(*app.Options) {})
	w.T.Cleanup(func() { assert.NoError(w.T, operator.Stop()) })
}

// withoutRead gives the manager's user what it needs for ConfigMaps, without the right to get definitions.
func (w *world) withoutRead() {
	w.T.Helper()
	w.create(fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s}, rules: [
  {apiGroups: [projection.sh], resources: [projections, clusterprojections], verbs: [get, list, watch, patch]},
  {apiGroups: [projection.sh], resources: [projections/status, clusterprojections/status], verbs: [update]},
  {apiGroups: [""], resources: [namespaces], verbs: [list, watch]},
  {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [list, watch]},
  {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]},
  {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, patch, delete]}]}`, w.user))
	w.create(fmt.Sprintf(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: %s},
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s},
  subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %s}]}`, w.user, w.user, w.user))
}

func (w *world) get(like *unstructured.Unstructured) *unstructured.Unstructured {
	w.T.Helper()
	found, err := w.Get(like, like.GetNamespace(), like.GetName())
	require.NoError(w.T, err)
	return found
}

// copied waits for a copy of which the condition holds.
func (w *world) copied(role, name string, holds func(data map[string]string) bool) *unstructured.Unstructured {
	w.T.Helper()
	found := w.Object(fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}}`, name, w.away(role)))
	require.Eventually(w.T, func() bool {
		if w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(found), found) != nil {
			return false
		}
		data, _, _ := unstructured.NestedStringMap(found.Object, "data")
		return holds(data)
	}, env.Timeout, env.Interval, "%s in %s", name, role)
	return found
}

func whatever(map[string]string) bool { return true }

// says waits until a condition of the rule has the status and reason, for its present generation, and returns its message.
func (w *world) says(rule *unstructured.Unstructured, conditionType string, status metav1.ConditionStatus, reason string) string {
	w.T.Helper()
	return w.Says(rule.DeepCopy(), conditionType, status, reason).Message
}

func (w *world) ready(rule *unstructured.Unstructured) {
	w.T.Helper()
	w.says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
}

// merge patches the object, and leaves what the test knows of it as it was.
func (w *world) merge(object *unstructured.Unstructured, patch string) {
	w.T.Helper()
	w.Merge(object.DeepCopy(), patch)
}

func (w *world) mark() env.AuditMark {
	w.T.Helper()
	mark := fixture.Mark(w.T, cluster)
	return mark
}

// since returns the manager's requests of the verbs after the mark; without verbs, all.
func (w *world) since(mark env.AuditMark, verbs ...string) []env.Request {
	w.T.Helper()
	all := fixture.RequestsSince(w.T, cluster, mark, w.user)
	var requests []env.Request
	for _, request := range all {
		if len(verbs) == 0 || strings.Contains(strings.Join(verbs, " "), request.Verb) {
			requests = append(requests, request)
		}
	}
	return requests
}

// settles returns when the manager has made no request for longer than it takes it to look again at changed definitions.
func (w *world) settles() {
	w.T.Helper()
	for idle := false; !idle; {
		mark := w.mark()
		<-time.After(4 * time.Second)
		idle = len(w.since(mark)) == 0
	}
}
