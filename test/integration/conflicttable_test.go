package integration_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// What a policy makes of an object in the place of a copy.
const (
	refused = "refused" // and reported
	skipped = "skipped"
	adopted = "adopted"
	waits   = "waits" // until the object is deleted
)

// conflictTable has, for each object in the place of a copy, what it is and what each policy makes of it.
var conflictTable = []struct {
	name, metadata, content                string
	refuse, skip, adoptIdentical, adoptAny string
}{
	{"the same", ``, `data: {color: cmVk}`, refused, skipped, adopted, adopted},
	{"another value", ``, `data: {color: Z3JlZW4=}`, refused, skipped, refused, adopted},
	{"a further key", ``, `data: {color: cmVk, more: cmVk}`, refused, skipped, refused, adopted},
	{"of a Projection", `, annotations: {projection.sh/owned-by-projection: $NS/other}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{"of a ClusterProjection", `, annotations: {projection.sh/owned-by-cluster-projection: other}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{
		"of two rules", `, annotations: {projection.sh/owned-by-projection: $NS/other, projection.sh/owned-by-cluster-projection: $RULE}`,
		`data: {color: cmVk}`, refused, skipped, refused, refused,
	},
	{
		"of a controller", `, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: $OWNER, controller: true}]`,
		`data: {color: cmVk}`, refused, skipped, refused, refused,
	},
	{"of Helm", `, labels: {app.kubernetes.io/managed-by: Helm}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{"of Argo CD", `, annotations: {argocd.argoproj.io/tracking-id: "a:/Secret:b/c"}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{"of reflector", `, annotations: {reflector.v1.k8s.emberstack.com/reflects: a/b}`, `data: {color: cmVk}`, refused, skipped, adopted, adopted},
	{"of reflector, and another", `, annotations: {reflector.v1.k8s.emberstack.com/reflects: a/b}`, `data: {color: Z3JlZW4=}`, refused, skipped, refused, adopted},
	{"a source", `, annotations: {projection.sh/projectable: "true"}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{"a Secret with public keys", `, annotations: {projection.sh/public-keys: color}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{"a source that is opted out", `, annotations: {projection.sh/projectable: "false"}`, `data: {color: cmVk}`, refused, skipped, adopted, adopted},
	{"released", `, labels: {projection.sh/owned-by-cluster-projection-uid: $OWNER}`, `data: {color: cmVk}`, refused, skipped, refused, refused},
	{"a credential", ``, `type: bootstrap.kubernetes.io/token, data: {color: cmVk}`, refused, skipped, refused, refused},
	{"being deleted", `, finalizers: [example.com/hold]`, `data: {color: cmVk}`, waits, waits, waits, waits},
}

// conflicts is a rule with a policy, and a foreign object for each row of the table.
type conflicts struct {
	*world
	source     *unstructured.Unstructured
	rule       *v1.ClusterProjection
	namespaces []string
	theirs     map[string]*unstructured.Unstructured
}

func newConflicts(t *testing.T) *conflicts {
	t.Helper()
	c := &conflicts{world: newWorld(t), theirs: map[string]*unstructured.Unstructured{}}
	c.source = c.Apply(`{apiVersion: v1, kind: Secret, data: {color: cmVk},
		metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`)
	for i, row := range conflictTable {
		namespace := c.Namespace(fmt.Sprintf("c%02d", i), nil)
		owner := c.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: owner, namespace: ` + namespace + `}}`)
		manifest := strings.NewReplacer("$NS", namespace, "$RULE", c.Away, "$OWNER", string(owner.GetUID())).Replace(
			`{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: ` + namespace + row.metadata + `}, ` + row.content + `}`)
		object := c.Create(manifest)
		if len(object.GetFinalizers()) > 0 {
			c.Delete(object)
			c.T.Cleanup(func() {
				release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
				assert.NoError(t, c.Client.Patch(context.Background(), object, release))
			})
		}
		c.namespaces = append(c.namespaces, namespace)
		c.theirs[namespace] = c.Exists(object, namespace, "settings", fixture.Anything)
	}
	return c
}

// lists returns the destination that lists the namespaces.
func (c *conflicts) lists(more ...string) string {
	return "{namespaces: [" + strings.Join(append(more, c.namespaces...), ", ") + "]}"
}

// requireRow checks what became of the object in the namespace.
func (c *conflicts) requireRow(namespace, want string) {
	failures := map[string]v1.NamespaceFailure{}
	for _, failure := range c.rule.Status.Failures {
		failures[failure.Namespace] = failure
	}
	before := c.theirs[namespace]
	now, err := c.Get(c.source, namespace, "settings")
	require.NoError(c.T, err)
	assert.Equal(c.T, before.GetUID(), now.GetUID())
	switch want {
	case adopted:
		assert.NotContains(c.T, failures, namespace)
		assert.Equal(c.T, c.rule.Name, now.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
		color, _, _ := unstructured.NestedString(now.Object, "data", "color")
		assert.Equal(c.T, "cmVk", color)
		for key := range now.GetAnnotations() {
			assert.NotContains(c.T, key, "reflector")
		}
		return
	case refused:
		assert.Equal(c.T, v1.ReasonDestinationConflict, failures[namespace].Reason, failures[namespace].Message)
	case skipped:
		assert.NotContains(c.T, failures, namespace)
	case waits:
		assert.Equal(c.T, v1.ReasonDestinationCreateFailed, failures[namespace].Reason)
		assert.Contains(c.T, failures[namespace].Message, "is being deleted")
	}
	assert.Equal(c.T, before.Object, now.Object, "not a byte")
}

// TestConflictTable has each policy meet each object, however the rule comes to want a copy there.
func TestConflictTable(t *testing.T) {
	ways := map[string]func(c *conflicts, policy string){
		"the rule is created": func(c *conflicts, policy string) {
			c.rule = c.fanOut(c.source, c.lists()+"\n  policy: {onConflict: "+policy+"}")
		},
		"the namespaces are added": func(c *conflicts, policy string) {
			first := c.Namespace("first", nil)
			c.rule = c.fanOut(c.source, "{namespaces: ["+first+"]}\n  policy: {onConflict: "+policy+"}")
			c.counts(c.rule, 1, 0)
			c.Merge(c.rule, `{"spec":{"destination":{"namespaces":["`+strings.Join(c.namespaces, `","`)+`"]}}}`)
		},
		"the policy is edited": func(c *conflicts, policy string) {
			c.rule = c.fanOut(c.source, c.lists()+"\n  policy: {onConflict: Refuse}")
			c.counts(c.rule, 0, int32(len(c.namespaces)))
			c.Merge(c.rule, `{"spec":{"policy":{"onConflict":"`+policy+`"}}}`)
		},
		"the source consents later, and is edited": func(c *conflicts, policy string) {
			c.Merge(c.source, `{"metadata":{"annotations":{"projection.sh/projectable":null}},"data":{"color":"Ymx1ZQ=="}}`)
			c.rule = c.fanOut(c.source, c.lists()+"\n  policy: {onConflict: "+policy+"}")
			c.Says(c.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
			c.Merge(c.source, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}},"data":{"color":"cmVk"}}`)
		},
	}
	for _, policy := range []v1.ConflictPolicy{v1.ConflictRefuse, v1.ConflictSkip, v1.ConflictAdoptIdentical, v1.ConflictAdopt} {
		for name, begin := range ways {
			t.Run(string(policy)+": "+name, func(t *testing.T) {
				c := newConflicts(t)
				want, tally := map[string]string{}, map[string]int32{}
				for i, row := range conflictTable {
					verdict := map[v1.ConflictPolicy]string{
						v1.ConflictRefuse: row.refuse, v1.ConflictSkip: row.skip, v1.ConflictAdoptIdentical: row.adoptIdentical, v1.ConflictAdopt: row.adoptAny,
					}[policy]
					want[c.namespaces[i]] = verdict
					tally[verdict]++
				}
				begin(c, string(policy))
				c.counts(c.rule, tally[adopted], tally[refused]+tally[waits])
				c.settles()
				c.counts(c.rule, tally[adopted], tally[refused]+tally[waits])
				if count := c.rule.Status.NamespacesSkipped; tally[skipped] == 0 {
					assert.Nil(t, count)
				} else if assert.NotNil(t, count) {
					assert.Equal(t, tally[skipped], *count)
				}
				for i, namespace := range c.namespaces {
					t.Run(conflictTable[i].name, func(t *testing.T) {
						row := *c
						row.world = &world{&fixture.World{}}
						*row.world.World = *c.World
						row.T = t
						row.requireRow(namespace, want[namespace])
					})
				}
			})
		}
	}
}
