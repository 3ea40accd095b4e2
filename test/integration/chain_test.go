package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env/fixture"
)

// chain is a source, a copy of it, and a copy of that copy, which rules of different kinds have made.
type chain struct {
	*world
	source *unstructured.Unstructured
	// near and far are the rules that make the middle and the end.
	near, far func() owner.Object
	// mark is the annotation that names the owner of the middle, and farMark that of the end.
	mark, farMark string
}

// The namespace away has the middle of a chain under the name of the source, and its end under another.
const middle, end = "settings", "onward"

// chains are both orders of the kinds of rules.
func chains() map[string]func(*world) *chain {
	rule := func(w *world, name, destination string, source *unstructured.Unstructured) func() owner.Object {
		return func() owner.Object { return w.projectAs(name, destination, source) }
	}
	fanOut := func(w *world, destination string, source *unstructured.Unstructured) func() owner.Object {
		return func() owner.Object {
			return w.fanOut(source, `{namespaces: [$AWAY], name: `+destination+`}`)
		}
	}
	return map[string]func(*world) *chain{
		"a fan-out, then a rule": func(w *world) *chain {
			return &chain{
				world: w, near: fanOut(w, middle, w.Object(configMap)), far: rule(w, end, end, w.inTheMiddle()),
				mark: v1.AnnotationOwnedByClusterProjection, farMark: v1.AnnotationOwnedByProjection,
			}
		},
		"a rule, then a fan-out": func(w *world) *chain {
			return &chain{
				world: w, near: rule(w, middle, middle, w.Object(configMap)), far: fanOut(w, end, w.inTheMiddle()),
				mark: v1.AnnotationOwnedByProjection, farMark: v1.AnnotationOwnedByClusterProjection,
			}
		},
	}
}

// begin makes the source of a chain, and its middle.
func begin(t *testing.T, forge func(*world) *chain) (c *chain, near owner.Object) {
	t.Helper()
	c = forge(newWorld(t))
	c.source = c.Apply(configMap)
	near = c.near()
	c.projected(near)
	return c, near
}

// inTheMiddle names the copy of the source.
func (w *world) inTheMiddle() *unstructured.Unstructured {
	return w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + middle + `, namespace: $AWAY}}`)
}

// consents applies consent to the middle, or none, as somebody who manages nothing else of it.
func (c *chain) consents(annotations string) {
	c.T.Helper()
	c.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + middle + `, namespace: $AWAY, annotations: ` + annotations + `}}`)
}

// follows edits the source, and waits until a copy has the edit.
func (c *chain) follows(name, color string) *unstructured.Unstructured {
	c.T.Helper()
	c.Merge(c.source, `{"data":{"color":"`+color+`"}}`)
	return c.Exists(c.source, c.Away, name, func(o *unstructured.Unstructured) bool { return data(o, "color") == color })
}

func (c *chain) absent(name string) {
	c.T.Helper()
	_, err := c.Get(c.source, c.Away, name)
	require.True(c.T, apierrors.IsNotFound(err), "%v", err)
}

// owned expects that the object names one owner, by one annotation and one label.
func (c *chain) owned(object *unstructured.Unstructured, annotation string, rule owner.Object) {
	c.T.Helper()
	name := strings.TrimPrefix(rule.GetNamespace()+"/"+rule.GetName(), "/")
	var owners, uids []string
	for key, value := range object.GetAnnotations() {
		if strings.HasPrefix(key, "projection.sh/owned-by-") {
			owners = append(owners, key+"="+value)
		}
	}
	for key, value := range object.GetLabels() {
		if strings.HasPrefix(key, "projection.sh/owned-by-") {
			uids = append(uids, key+"="+value)
		}
	}
	assert.Equal(c.T, []string{annotation + "=" + name}, owners)
	assert.Equal(c.T, []string{annotation + "-uid=" + string(rule.GetUID())}, uids)
}

func (w *world) projected(rule owner.Object) {
	w.T.Helper()
	w.Says(rule, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonProjected)
}

func (w *world) unprojected(rule owner.Object, reason string) {
	w.T.Helper()
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, reason)
}

const consent, noConsent = `{projection.sh/projectable: "true"}`, `{}`

// TestChainNeedsTheConsentOfEachLinkAndEndsWithIt has one kind of rule copy what the other has copied.
func TestChainNeedsTheConsentOfEachLinkAndEndsWithIt(t *testing.T) {
	for name, forge := range chains() {
		t.Run(name, func(t *testing.T) {
			c, near := begin(t, forge)
			far := c.far()
			c.unprojected(far, v1.ReasonSourceNotProjectable)
			c.absent(end)

			c.consents(consent)
			c.projected(far)
			last := c.follows(end, "blue")
			c.owned(last, c.farMark, far)
			assert.NotContains(t, last.GetAnnotations(), v1.AnnotationProjectable)
			c.owned(c.follows(middle, "green"), c.mark, near)
			c.follows(end, "yellow")

			before := c.Exists(c.source, c.Away, middle, fixture.Anything)
			c.consents(noConsent)
			c.gone(c.source, c.Away, end)
			c.unprojected(far, v1.ReasonSourceNotProjectable)
			after := c.follows(middle, "orange")
			assert.Equal(t, before.GetUID(), after.GetUID(), "the end takes nothing along")
			c.owned(after, c.mark, near)
		})
	}
}

// TestEndOfALinkIsNotTheEndOfTheOneBefore deletes the rules of a chain in turn.
func TestEndOfALinkIsNotTheEndOfTheOneBefore(t *testing.T) {
	for name, forge := range chains() {
		t.Run(name, func(t *testing.T) {
			c, near := begin(t, forge)
			c.consents(consent)
			far := c.far()
			c.projected(far)
			before := c.Exists(c.source, c.Away, middle, fixture.Anything)

			c.Delete(far)
			c.gone(c.source, c.Away, end)
			c.Gone(far)
			after := c.Exists(c.source, c.Away, middle, fixture.Anything)
			assert.Equal(t, before.Object, after.Object, "not a byte of the other kind's copy changes")
			c.owned(c.follows(middle, "blue"), c.mark, near)

			far = c.far()
			c.projected(far)
			c.Delete(near)
			c.Gone(near)
			c.gone(c.source, c.Away, middle)
			c.gone(c.source, c.Away, end)
			c.unprojected(far, v1.ReasonSourceDeleted)

			near = c.near()
			c.projected(near)
			c.owned(c.Exists(c.source, c.Away, middle, fixture.Anything), c.mark, near)
			c.unprojected(far, v1.ReasonSourceNotProjectable)
			c.absent(end)
		})
	}
}
