package hostile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// forger is a world with a rule of either kind that has a copy of the same source, and somebody who imitates them.
type forger struct {
	*world
	source  *unstructured.Unstructured
	rule    *v1.Projection
	cluster *v1.ClusterProjection
}

func newForger(t *testing.T) *forger {
	t.Helper()
	f := &forger{world: newWorld(t)}
	f.source = f.Create(configMap)
	f.rule = f.project(f.source)
	f.cluster = f.everywhere(f.source, "copies-of", f.Home)
	f.Ready(f.rule)
	f.Ready(f.cluster)
	return f
}

// marks puts the names and uids of the rules into the text.
func (f *forger) marks(text string) string {
	return strings.NewReplacer("$RULE", f.rule.Name, "$UID", string(f.rule.UID), "$CLUSTERUID", string(f.cluster.UID), "$CLUSTER", f.cluster.Name).Replace(text)
}

// forge creates a ConfigMap away with the marks.
func (f *forger) forge(name, marks string) *unstructured.Unstructured {
	f.T.Helper()
	return f.Create(f.marks(`{apiVersion: v1, kind: ConfigMap, data: {mine: "1"}, metadata: {namespace: $AWAY, name: ` + name + `, ` + marks + `}}`))
}

// Marks that somebody else writes. A label that bears a uid has no say; the annotation has, if it is in order.
const (
	ofRule    = `labels: {projection.sh/owned-by-projection-uid: $UID}, annotations: {projection.sh/owned-by-projection: $AWAY/$RULE}`
	ofCluster = `labels: {projection.sh/owned-by-cluster-projection-uid: any}, annotations: {projection.sh/owned-by-cluster-projection: $CLUSTER}`
	ofBoth    = `labels: {projection.sh/owned-by-projection-uid: $UID, projection.sh/owned-by-cluster-projection-uid: $CLUSTERUID},
		annotations: {projection.sh/owned-by-projection: $AWAY/$RULE, projection.sh/owned-by-cluster-projection: $CLUSTER}`
)

func TestForgedMarksAreWorthNothing(t *testing.T) {
	tests := map[string]string{
		"a uid alone":                           `labels: {projection.sh/owned-by-projection-uid: $UID}`,
		"a uid of nobody":                       `labels: {projection.sh/owned-by-projection-uid: 11111111-2222-3333-4444-555555555555}`,
		"the uid of the cluster's rule alone":   `labels: {projection.sh/owned-by-cluster-projection-uid: $CLUSTERUID}`,
		"a rule that does not exist":            `labels: {projection.sh/owned-by-projection-uid: $UID}, annotations: {projection.sh/owned-by-projection: $AWAY/nobody}`,
		"a rule of another namespace":           `labels: {projection.sh/owned-by-projection-uid: $UID}, annotations: {projection.sh/owned-by-projection: $HOME/$RULE}`,
		"a rule without its namespace":          `labels: {projection.sh/owned-by-projection-uid: $UID}, annotations: {projection.sh/owned-by-projection: $RULE}`,
		"a rule in the cluster's annotation":    `labels: {projection.sh/owned-by-cluster-projection-uid: $UID}, annotations: {projection.sh/owned-by-cluster-projection: $AWAY/$RULE}`,
		"a cluster's rule in the annotation":    `labels: {projection.sh/owned-by-projection-uid: $CLUSTERUID}, annotations: {projection.sh/owned-by-projection: $CLUSTER}`,
		"two owners":                            ofBoth,
		"the hash of some content, and no more": `annotations: {projection.sh/content-hash: 0123456789abcdef0123456789abcdef}`,
	}
	for name, marks := range tests {
		t.Run(name, func(t *testing.T) {
			f := newForger(t)
			forged := f.forge("forged", marks)
			f.Merge(f.source, `{"data":{"color":"blue"}}`)
			f.becomes(f.source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })
			f.settles()
			f.unchanged(forged)

			f.Delete(f.rule)
			f.Gone(f.rule)
			f.Delete(f.cluster)
			f.Gone(f.cluster)
			f.unchanged(forged)
		})
	}
}

// TestMarkOfARuleHandsTheObjectToIt is what the marks mean that are complete: whoever may write them on an object may give
// the object away. It takes no right to delete.
func TestMarkOfARuleHandsTheObjectToIt(t *testing.T) {
	for name, marks := range map[string]string{"a rule's": ofRule, "a cluster's rule's": ofCluster} {
		t.Run(name, func(t *testing.T) {
			f := newForger(t)
			f.Gone(f.forge("given", placed(marks, "given")))
			f.Ready(f.rule)
			f.Ready(f.cluster)
		})
	}
}

// placed completes the marks by the place of the object of that name.
func placed(marks, name string) string {
	return strings.Replace(marks, "annotations: {", "annotations: {projection.sh/place: $AWAY/"+name+", ", 1)
}

func TestGiftsCostNoMoreThanTheyAreMany(t *testing.T) {
	const gifts = 20
	f := newForger(t)
	requests := f.requestsDuring(func() {
		for i := range gifts {
			name := fmt.Sprintf("gift-%d", i)
			f.Gone(f.forge(name, placed(ofRule, name)))
		}
		f.settles()
	})
	deletions := 0
	for _, verb := range writes(requests, "configmaps") {
		if verb == "delete" {
			deletions++
		}
	}
	assert.Equal(t, gifts, deletions)
	assert.LessOrEqual(t, len(requests), 3*gifts, "for each: a look at the source, the deletion, and an event: %v", requests)
}

func TestForgeryThatChangesAllTheTimeCausesNoWrite(t *testing.T) {
	f := newForger(t)
	forged := f.forge("forged", ofBoth)
	f.settles()
	requests := f.requestsDuring(func() {
		for i := range 20 {
			f.Merge(forged, fmt.Sprintf(`{"data":{"mine":"%d"}}`, i))
		}
		f.settles()
	})
	assert.Empty(t, requests)
}

func TestCopyThatIsGivenToASecondOwnerIsFoughtOverByNobody(t *testing.T) {
	f := newForger(t)
	copied := f.becomes(f.source, fixture.Anything)
	f.Merge(f.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: $AWAY}}`), `{"metadata":{"labels":{"copies-of":"$HOME"}}}`)
	f.says(f.cluster, v1.ReasonDestinationConflict)

	f.Merge(copied, f.marks(`{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"$CLUSTER"},"labels":{"projection.sh/owned-by-cluster-projection-uid":"$CLUSTERUID"}}}`))
	assert.Contains(t, f.says(f.rule, v1.ReasonDestinationConflict), "names two rules as its owner")
	f.settles()
	before := f.becomes(f.source, fixture.Anything)
	f.Merge(f.source, `{"data":{"color":"blue"}}`)
	f.settles()
	f.unchanged(before) // it belongs to neither

	f.Merge(copied, `{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":null}}}`)
	f.Ready(f.rule)
	f.becomes(f.source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })
}

func TestCopyRestoredFromABackupIsTakenBackAndPutRight(t *testing.T) {
	f := newForger(t)
	backup := f.becomes(f.source, fixture.Anything)
	f.Merge(f.source, `{"data":{"color":"blue"}}`)
	f.becomes(f.source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })

	// A backup tool writes what it saved, with marks and without a record of writers. Its version is an old one.
	f.Merge(f.rule, `{"spec":{"source":{"name":"nothing-yet"}}}`)
	f.Gone(backup)
	restored := backup.DeepCopy()
	restored.SetResourceVersion("")
	restored.SetUID("")
	restored.SetManagedFields(nil)
	restored.SetLabels(map[string]string{v1.LabelOwnedByProjectionUID: "the-uid-of-a-rule-before"})
	require.NoError(t, f.Client.Create(t.Context(), restored))
	f.Merge(f.rule, `{"spec":{"source":{"name":"settings"}}}`)

	f.becomes(f.source, func(o *unstructured.Unstructured) bool {
		return entry(o, "color") == "blue" && o.GetLabels()[v1.LabelOwnedByProjectionUID] == string(f.rule.UID)
	})
	f.Ready(f.rule)
}

func TestMarksThatAreTakenOffWhileTheCopyIsBeingDeleted(t *testing.T) {
	f := newForger(t)
	copied := f.becomes(f.source, fixture.Anything)
	f.Merge(copied, `{"metadata":{"finalizers":["example.com/hold"]}}`)
	f.Delete(f.rule)
	f.Gone(f.rule) // the copy is told to go; who holds it is its own affair
	f.Merge(copied, `{"metadata":{"annotations":null,"labels":null}}`)
	next := f.project(f.source)
	assert.Contains(t, f.says(next, v1.ReasonDestinationCreateFailed), "is being deleted")
	f.settles()

	f.Merge(copied, `{"metadata":{"finalizers":null}}`)
	f.Ready(next)
	f.becomes(f.source, func(o *unstructured.Unstructured) bool { return o.GetUID() != copied.GetUID() })
}

func TestBookkeepingOfARuleThatSomebodyForges(t *testing.T) {
	f := newForger(t)
	bystander := f.Create(`{apiVersion: v1, kind: Secret, metadata: {name: bystander, namespace: $AWAY}}`)
	var nonsense []string
	for i := range 500 {
		nonsense = append(nonsense, fmt.Sprintf("Kind%d.example.com", i))
	}
	kinds := strings.Join(append(nonsense, "Secret", "Namespace", "Deployment.apps", "///", ""), ",")
	f.Merge(f.rule, `{"metadata":{"annotations":{"projection.sh/written-kinds":"`+kinds+`"}},"spec":{"overlay":{"labels":{"a":"b"}}}}`)

	require.Eventually(t, func() bool {
		var rule v1.Projection
		require.NoError(t, f.Client.Get(t.Context(), client.ObjectKeyFromObject(f.rule), &rule))
		return rule.Annotations[v1.AnnotationWrittenKinds] == "ConfigMap"
	}, env.Timeout, env.Interval, "what there is no copy of is forgotten")
	f.Ready(f.rule)
	f.unchanged(bystander)
	assert.NotEmpty(t, f.read(f.source, f.Away, "settings"))
}

func TestSourceThatBearsForgedMarksPassesNoneOn(t *testing.T) {
	f := newForger(t)
	parent := f.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: parent, namespace: $HOME}}`)
	f.Merge(f.source, f.marks(`{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"$CLUSTER","projection.sh/owned-by-projection":"$AWAY/other"},
		"labels":{"projection.sh/owned-by-cluster-projection-uid":"$CLUSTERUID"},
		"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"parent","uid":"`+string(parent.GetUID())+`"}]},"data":{"color":"blue"}}`))
	copied := f.becomes(f.source, func(o *unstructured.Unstructured) bool { return entry(o, "color") == "blue" })
	assert.Equal(t, map[string]string{v1.LabelOwnedByProjectionUID: string(f.rule.UID)}, copied.GetLabels())
	assert.Equal(t, f.Away+"/"+f.rule.Name, copied.GetAnnotations()[v1.AnnotationOwnedByProjection])
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationOwnedByClusterProjection)
	assert.Empty(t, copied.GetOwnerReferences())

	f.settles()
	kept := f.read(f.source, f.Home, "settings")
	require.NotNil(t, kept)
	assert.Equal(t, f.source.GetUID(), kept.GetUID(), "a rule does not prune its own source, whatever marks it bears")

	f.Merge(f.source, f.marks(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`))
	f.Delete(f.cluster)
	f.Gone(f.cluster)
	f.settles()
	kept = f.read(f.source, f.Home, "settings")
	require.NotNil(t, kept, "nor does it take it along when it goes")
	assert.Equal(t, f.source.GetUID(), kept.GetUID())
}
