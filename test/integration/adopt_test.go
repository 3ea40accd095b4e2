package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// onConflict sets the policy of a Projection for conflicts.
func onConflict(policy v1.ConflictPolicy) func(*v1.Projection) {
	return func(rule *v1.Projection) { rule.Spec.Policy.OnConflict = policy }
}

// foreign creates a foreign ConfigMap in a namespace, in the place of a copy of configMap.
func (w *world) foreign(namespace, data string) *unstructured.Unstructured {
	w.T.Helper()
	return w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: ` + namespace + `}, data: ` + data + `}`)
}

// same and other are what foreign objects say: the same as the copy of configMap, or not.
const same, other = `{color: red, size: "1"}`, `{color: green}`

// TestAdoptionInTheNameOfTheAccount reads the audit log. The operator reads what the account may not: metadata.
func TestAdoptionInTheNameOfTheAccount(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.Ready(w.Project("warm", source, func(rule *v1.Projection) { rule.Spec.Destination.Name = "warm" })) // the watches on the kind are open
	before := w.foreign(w.Away, same)
	w.grant("promoter", w.Home, "get")
	w.grant("promoter", w.Away, "create patch")
	w.settles()
	var rule *v1.Projection
	requests := w.requestsOf(func() {
		rule = w.Project("rule", source, asAccount("promoter"), onConflict(v1.ConflictAdoptIdentical))
		said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationFetchFailed)
		assert.Contains(t, said.Message, "the object that is there cannot be read, so nothing was changed; grant "+w.Away+
			":promoter a role: kubectl -n "+w.Away+" create role NAME --verb=get,create,patch --resource=configmaps (")
	})
	assert.Equal(t, []string{"+ patch configmaps 409", "+ get configmaps 403", "- get configmaps 200"},
		w.senders(requests, "promoter")[2:5], "%v", requests)
	after, err := w.Get(source, w.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, before.Object, after.Object, "not a byte")

	w.Delete(rule)
	w.Gone(rule)
	w.grant("promoter", w.Away, "get delete")
	w.settles()
	requests = w.requestsOf(func() {
		rule = w.Project("rule", source, asAccount("promoter"), onConflict(v1.ConflictAdoptIdentical))
		w.Ready(rule)
		w.settles()
	})
	requests = slices.DeleteFunc(requests, func(r env.Request) bool { return r.Namespace == w.Home }) // reads of sources are shared for a while
	assert.Equal(t, []string{
		"- patch projections 200", "+ patch configmaps 409", "+ get configmaps 200", "+ patch configmaps 200",
		"+ patch configmaps 200", "- update projections/status 200",
	}, w.senders(requests, "promoter"))
	event := w.reported(rule, v1.ReasonDestinationAdopted)
	assert.Equal(t, "adopted the object "+w.Away+"/settings, which is a copy now", event.Note)

	w.Delete(rule)
	w.Gone(rule)
	w.gone(source, w.Away, "settings")
}

// TestProjectionAdoptsOnlyWithAServiceAccount: its author may be allowed less than the operator.
func TestProjectionAdoptsOnlyWithAServiceAccount(t *testing.T) {
	for _, policy := range []v1.ConflictPolicy{v1.ConflictAdoptIdentical, v1.ConflictAdopt} {
		t.Run(string(policy), func(t *testing.T) {
			w := newWorld(t)
			source, before := w.Apply(configMap), w.foreign(w.Away, same)
			rule := w.Project("rule", source, onConflict(policy))
			said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
			assert.Equal(t, "to adopt objects, a Projection needs a service account whose permissions it uses; copies are kept; "+
				"set spec.serviceAccountName, or remove spec.policy.onConflict", said.Message)
			w.Says(rule, v1.ConditionStalled, metav1.ConditionTrue, v1.ReasonRuleInvalid)
			w.settles()
			after, err := w.Get(source, w.Away, "settings")
			require.NoError(t, err)
			assert.Equal(t, before.Object, after.Object)
		})
	}
}

// condition returns a condition of the rule as it is now.
func (w *world) condition(rule *v1.ClusterProjection, of string) metav1.Condition {
	w.T.Helper()
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
	if found := meta.FindStatusCondition(rule.Status.Conditions, of); found != nil && found.ObservedGeneration == rule.Generation {
		return *found
	}
	return metav1.Condition{}
}

// adopting creates a ClusterProjection into the namespaces.
func (w *world) adopting(source *unstructured.Unstructured, policy string, namespaces ...string) *v1.ClusterProjection {
	w.T.Helper()
	return w.fanOut(source, "{namespaces: ["+strings.Join(namespaces, ", ")+"]}\n  policy: "+policy)
}

// TestFanOutAdoptsWhatIsIdentical counts the requests: each object is looked at once, and one that differs again when it changes.
func TestFanOutAdoptsWhatIsIdentical(t *testing.T) {
	const identical, differing = 8, 3
	w := newWorld(t)
	source := w.Apply(configMap)
	var namespaces []string
	var differs []*unstructured.Unstructured
	for i := range identical + differing {
		namespaces = append(namespaces, w.Namespace(fmt.Sprintf("t%02d", i), nil))
		if i < identical {
			w.foreign(namespaces[i], same)
		} else {
			differs = append(differs, w.foreign(namespaces[i], other))
		}
	}
	var rule *v1.ClusterProjection
	requests := w.requestsOn(namespaces, func() {
		rule = w.adopting(source, "{onConflict: AdoptIdentical}", namespaces...)
		w.counts(rule, identical, differing)
		w.settles()
	})
	assert.Equal(t, 3*identical+differing, count(requests, "patch", "configmaps"), "%v", requests)
	assert.Equal(t, identical+differing+1, count(requests, "get", "configmaps"), "one of them of the source")
	for i, failure := range rule.Status.Failures {
		assert.Equal(t, differs[i].GetNamespace(), failure.Namespace)
		assert.Contains(t, failure.Message, "says something else: data (2 keys)")
	}
	after := w.Exists(source, differs[0].GetNamespace(), "settings", fixture.Anything)
	assert.Equal(t, differs[0].Object, after.Object, "not a byte")

	assert.Len(t, w.requestsOn(namespaces, func() {
		w.Merge(differs[0], `{"data":{"color":"yellow"}}`)
		w.settles()
	}), 3, "one read of the source, one refused creation, and one look")
	w.Merge(differs[0], `{"data":{"color":"red","size":"1"}}`)
	w.counts(rule, identical+1, differing-1)
	w.settles()
	assert.Empty(t, w.requestsOn(namespaces, func() { w.settles() }))
	w.Merge(source, `{"data":{"color":"green","size":null}}`)
	w.counts(rule, identical+differing, 0)
}

// TestPolicyForConflictsIsEdited while an object is in the way.
func TestPolicyForConflictsIsEdited(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	theirs := w.foreign(w.Away, other)
	rule := w.adopting(source, "{onConflict: Refuse}", w.Away)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	edit := func(policy string) { w.Merge(rule, `{"spec":{"policy":{"onConflict":"`+policy+`"}}}`) }
	edit("AdoptIdentical")
	w.Eventually(rule, func() bool {
		return strings.Contains(w.condition(rule, v1.ConditionReady).Message, "says something else: data (2 keys)")
	}, "it is looked at")
	edit("Skip")
	w.Ready(rule)
	edit("Adopt")
	adopted := w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "red" })
	assert.Equal(t, theirs.GetUID(), adopted.GetUID())
	w.settles()
	adopted = w.Exists(source, w.Away, "settings", fixture.Anything)
	edit("Refuse")
	w.Ready(rule)
	w.settles()
	assert.Equal(t, adopted.GetResourceVersion(), w.Exists(source, w.Away, "settings", fixture.Anything).GetResourceVersion(), "a copy is a copy")
}

// TestAdoptedObjectEndsWithItsRule unless the rule retains its copies.
func TestAdoptedObjectEndsWithItsRule(t *testing.T) {
	for name, retain := range map[string]string{"deleted": "[]", "retained": "[RuleDeleted]"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, theirs := w.Apply(configMap), w.foreign(w.Away, other)
			rule := w.adopting(source, "{onConflict: Adopt, retain: "+retain+"}", w.Away)
			w.Ready(rule)
			w.Delete(rule)
			w.Gone(rule)
			if name == "deleted" {
				w.gone(source, w.Away, "settings")
				return
			}
			assert.Equal(t, theirs.GetUID(), w.Exists(source, w.Away, "settings", ordinary).GetUID())
		})
	}
}

// TestOneOfTwoRulesAdopts: the other one never takes the copy, until the first one has made it an ordinary object.
func TestOneOfTwoRulesAdopts(t *testing.T) {
	w := newWorld(t)
	source, theirs := w.Apply(configMap), w.foreign(w.Away, other)
	w.grant("promoter", w.Home, "get")
	w.grant("promoter", w.Away, "get create patch delete")
	first := w.adopting(source, "{onConflict: Adopt, retain: [RuleDeleted]}", w.Away)
	w.Ready(first)
	second := w.Project("second", source, asAccount("promoter"), onConflict(v1.ConflictAdopt))
	said := w.Says(second, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
	assert.Contains(t, said.Message, "belongs to the ClusterProjection "+first.Name)
	w.settles()
	w.Ready(first)
	w.Delete(first)
	w.Ready(second)
	after := w.Exists(source, w.Away, "settings", fixture.Anything)
	assert.Equal(t, theirs.GetUID(), after.GetUID())
	assert.Equal(t, w.Away+"/second", after.GetAnnotations()[v1.AnnotationOwnedByProjection])
}

// TestObjectIsAdoptedWhenItsToolLetsItGo: the rule is enqueued by changes of metadata.
func TestObjectIsAdoptedWhenItsToolLetsItGo(t *testing.T) {
	claims := map[string][2]string{
		"a label":      {`{"metadata":{"labels":{"app.kubernetes.io/managed-by":"Helm"}}}`, `{"metadata":{"labels":null}}`},
		"a controller": {`{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"settings","uid":"$UID","controller":true}]}}`, `{"metadata":{"ownerReferences":null}}`},
	}
	for name, claim := range claims {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, theirs := w.Apply(configMap), w.foreign(w.Away, other)
			owner := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: $AWAY}}`)
			w.Merge(theirs, strings.ReplaceAll(strings.ReplaceAll(claim[0], "$UID", string(owner.GetUID())), `"name":"settings"`, `"name":"owner"`))
			rule := w.adopting(source, "{onConflict: Adopt}", w.Away)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationConflict)
			w.settles()
			assert.Empty(t, w.requestsOf(func() {
				w.Merge(theirs, `{"data":{"busy":"1"}}`)
				w.settles()
			}), "content does not matter")
			w.Merge(theirs, claim[1])
			w.Ready(rule)
		})
	}
}

// TestWorkloadsAreCompared: defaults of the API server and the status are no differences.
func TestWorkloadsAreCompared(t *testing.T) {
	const manifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %s, annotations: {projection.sh/projectable: %q}}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, ports: [{containerPort: 80}]}]}
`
	w := newWorld(t)
	source := w.Apply(fmt.Sprintf(manifest, "$HOME", "true"))
	theirs := w.Create(strings.Replace(fmt.Sprintf(manifest, "$AWAY", "false"), "replicas: 0", "replicas: 1", 1))
	rule := w.adopting(source, "{onConflict: AdoptIdentical}", w.Away)
	w.Eventually(rule, func() bool {
		return strings.Contains(w.condition(rule, v1.ConditionReady).Message, "says something else: spec.replicas; ")
	}, "it is looked at")
	w.Merge(theirs, `{"spec":{"replicas":0}}`)
	w.Ready(rule)
	assert.Equal(t, theirs.GetUID(), w.Exists(source, w.Away, "web", fixture.Anything).GetUID())
}
