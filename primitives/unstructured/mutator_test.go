package unstructured_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/unstructured"
)

type object = map[string]any

func TestMetadataComesBeforeContentWithinAFeature(t *testing.T) {
	target := &uns.Unstructured{Object: object{"metadata": object{"labels": object{"kept": "yes"}}}}
	m := unstructured.NewMutator(target)
	log := func(word string) func(*editors.UnstructuredContentEditor) error {
		return func(e *editors.UnstructuredContentEditor) error {
			before, _, err := uns.NestedString(e.Raw(), "log")
			if err != nil {
				return err
			}
			return e.SetNestedString(before+word+"("+target.GetLabels()["by"]+")", "log")
		}
	}
	label := func(value string) func(*editors.ObjectMetaEditor) error {
		return func(e *editors.ObjectMetaEditor) error { e.EnsureLabel("by", value); return nil }
	}
	m.EditContent(log("a"))
	m.EditContent(nil)
	m.EditObjectMetadata(nil)
	m.EditObjectMetadata(label("first"))
	m.EditContent(log("b"))
	m.NextFeature()
	m.EditContent(log("c"))
	m.EditObjectMetadata(label("second"))

	require.NoError(t, m.Apply())

	assert.Equal(t, object{
		"metadata": object{"labels": object{"kept": "yes", "by": "second"}},
		"log":      "a(first)b(first)c(second)",
	}, target.Object)
}

func TestFirstErrorEndsApply(t *testing.T) {
	boom := errors.New("boom")
	unreached := func(*editors.UnstructuredContentEditor) error { t.Error("reached"); return nil }

	m := unstructured.NewMutator(&uns.Unstructured{})
	m.EditObjectMetadata(func(*editors.ObjectMetaEditor) error { return boom })
	m.EditContent(unreached)
	assert.Same(t, boom, m.Apply())

	m = unstructured.NewMutator(&uns.Unstructured{})
	m.EditContent(func(*editors.UnstructuredContentEditor) error { return boom })
	m.NextFeature()
	m.EditContent(unreached)
	assert.Same(t, boom, m.Apply())
}

func TestEditsOfAnEmptyObject(t *testing.T) {
	target := &uns.Unstructured{}
	m := unstructured.NewMutator(target)
	m.EditContent(func(e *editors.UnstructuredContentEditor) error { return e.SetNestedString("v", "k") })
	require.NoError(t, m.Apply())
	assert.Equal(t, object{"k": "v"}, target.Object)
}

func TestLastLabelTakesTheMapAlong(t *testing.T) {
	target := &uns.Unstructured{Object: object{"metadata": object{
		"name": "one", "labels": object{"a": "1"}, "annotations": object{"b": "2"},
	}}}
	m := unstructured.NewMutator(target)
	m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error {
		e.RemoveLabel("a")
		e.RemoveAnnotation("b")
		return nil
	})
	require.NoError(t, m.Apply())
	assert.Equal(t, object{"metadata": object{"name": "one"}}, target.Object)
}

func TestFinalizersAreWrittenBackAndNothingElse(t *testing.T) {
	target := &uns.Unstructured{Object: object{"metadata": object{"name": "one", "finalizers": []any{"example.com/a"}}}}
	edit := func(edit func(*metav1.ObjectMeta)) {
		t.Helper()
		m := unstructured.NewMutator(target)
		m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error { edit(e.Raw()); return nil })
		require.NoError(t, m.Apply())
	}
	edit(func(meta *metav1.ObjectMeta) {
		meta.Name, meta.Finalizers = "two", append(meta.Finalizers, "example.com/b")
		meta.OwnerReferences = []metav1.OwnerReference{{Name: "owner"}}
	})
	assert.Equal(t, object{"metadata": object{"name": "one", "finalizers": []any{"example.com/a", "example.com/b"}}}, target.Object)
	edit(func(meta *metav1.ObjectMeta) { meta.Finalizers = meta.Finalizers[:0] })
	assert.Equal(t, object{"metadata": object{"name": "one"}}, target.Object)

	target = &uns.Unstructured{Object: object{"metadata": object{"finalizers": "no list"}}}
	edit(func(*metav1.ObjectMeta) {})
	assert.Equal(t, object{"metadata": object{"finalizers": "no list"}}, target.Object, "what is not edited stays as it is")
}

func TestIdentity(t *testing.T) {
	named := func(apiVersion, kind string) *uns.Unstructured {
		return &uns.Unstructured{Object: object{
			"apiVersion": apiVersion, "kind": kind, "metadata": object{"name": "n", "namespace": "ns"},
		}}
	}
	assert.Equal(t, "apps/v1/Deployment/ns/n", unstructured.MakeIdentityFunc(false)(named("apps/v1", "Deployment")))
	assert.Equal(t, "/v1/ConfigMap/ns/n", unstructured.MakeIdentityFunc(false)(named("v1", "ConfigMap")))
	assert.Equal(t, "/v1/Namespace/n", unstructured.MakeIdentityFunc(true)(named("v1", "Namespace")))
}
