package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// The copy was made by an earlier version, or somebody has removed the annotation. It is written once, so that it can be retained.
func TestCopyThatNamesNoSourceIsWrittenOnce(t *testing.T) {
	w := newWorld(t)
	source, rule, copied := w.created()
	w.Merge(rule, `{"spec":{"policy":{"retain":["RuleDeleted"]}}}`)
	w.Merge(copied, `{"metadata":{"annotations":{"projection.sh/source":null}}}`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool { return o.GetAnnotations()[v1.AnnotationSource] != "" })
	w.settles()
	requests := w.requestsOf(func() {
		w.Merge(copied, `{"data":{"color":"by hand"}}`)
		w.Merge(source, `{"data":{"color":"blue"}}`)
		w.written(rule, earlierContent)
		w.settles()
	})
	assert.Zero(t, count(requests, "patch", "configmaps"), "%v", requests)
	w.Delete(rule)
	w.Gone(rule)
	assert.Equal(t, "by hand", data(w.Exists(source, w.Away, "settings", ordinary), "color"))
}

func TestCopyThatKeepsItsContentEnds(t *testing.T) {
	tests := map[string]func(*world, *unstructured.Unstructured, *v1.Projection){
		"with consent": func(w *world, source *unstructured.Unstructured, _ *v1.Projection) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
		},
		"where it is not permitted any more": func(w *world, source *unstructured.Unstructured, _ *v1.Projection) {
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: nobody"}}}`)
		},
		"with its source": func(w *world, source *unstructured.Unstructured, _ *v1.Projection) { w.Delete(source) },
		"with its rule":   func(w *world, _ *unstructured.Unstructured, rule *v1.Projection) { w.Delete(rule) },
		"with its name": func(w *world, source *unstructured.Unstructured, rule *v1.Projection) {
			w.Merge(rule, `{"spec":{"destination":{"name":"renamed"}}}`)
			w.Exists(source, w.Away, "renamed", fixture.Anything)
		},
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, rule, copied := w.created()
			w.Merge(copied, `{"data":{"color":"by hand"}}`)
			end(w, source, rule)
			w.gone(source, w.Away, "settings")
		})
	}
}

// A rule is edited to name another source. Its copy is one of that source then, whose owner is asked; nobody asks the owner of the first one.
func TestCopyThatKeepsItsContentIsOfTheSourceThatTheRuleNames(t *testing.T) {
	w := newWorld(t)
	first, rule, copied := w.created()
	w.Merge(copied, `{"data":{"color":"by hand"}}`)
	w.Apply(strings.NewReplacer("name: settings", "name: other", "red", "blue").Replace(configMap))
	w.Merge(rule, `{"spec":{"source":{"name":"other"},"destination":{"name":"settings"}}}`)
	after := w.Exists(first, w.Away, "settings", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	assert.Equal(t, copied.GetUID(), after.GetUID())
	w.written(rule, "the copy exists")
	w.Merge(first, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.settles()
	w.Exists(first, w.Away, "settings", fixture.Anything)
}

// With policy.retain, a copy that others have changed is theirs in the end, with their content.
func TestCopyThatKeepsItsContentIsRetained(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source, creating, func(rule *v1.Projection) {
		rule.Spec.Policy.Retain = []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}
	})
	w.written(rule, "the copy exists")
	w.Merge(w.Exists(source, w.Away, "settings", fixture.Anything), `{"data":{"color":"by hand"}}`)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.Apply(strings.ReplaceAll(configMap, "red", "blue"))
	w.written(rule, earlierContent)
	w.Delete(rule)
	w.Gone(rule)
	left := w.Exists(source, w.Away, "settings", ordinary)
	assert.Equal(t, map[string]any{"color": "by hand", "size": "1"}, left.Object["data"])
}

// An author narrows the keys of a rule, whose copy keeps all of them. Their owner decides all the same.
func TestKeysOfACopyThatKeepsItsContentAreTakenBack(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(certificate)
	rule := w.Project("root-ca", source, as("ConfigMap", "ca.crt", "image"), creating)
	w.written(rule, "the copy exists")
	w.Merge(rule, `{"spec":{"content":{"data":{"include":["ca.crt"]}}}}`)
	w.written(rule, earlierContent)
	copied := w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "ca" })
	assert.Contains(t, content(copied), "binaryData")

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"ca.crt"}}}`)
	w.Exists(ofKind("ConfigMap"), w.Away, "root-ca", func(o *unstructured.Unstructured) bool {
		return o.GetUID() != copied.GetUID() && data(o, "ca.crt") == "ca" && o.Object["binaryData"] == nil
	})
	w.written(rule, "the copy exists")
}
