package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/bench/bare"
)

//go:embed kinds.yaml
var kindsYAML []byte

// kind is a kind of source, with an example.
type kind struct {
	bare.Kind
	example map[string]any
}

// Kinds that rows use by themselves. Every other kind has a number only.
var (
	namespaces         = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	configMaps         = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments        = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	projections        = v1.GroupVersion.WithResource("projections")
	clusterProjections = v1.GroupVersion.WithResource("clusterprojections")
)

// allKinds returns the kinds, ConfigMaps first.
func allKinds() ([]kind, error) {
	var kinds []kind
	for document := range bytes.SplitSeq(kindsYAML, []byte("\n---\n")) {
		var example map[string]any
		if err := yaml.Unmarshal(document, &example); err != nil {
			return nil, fmt.Errorf("read kinds.yaml: %w", err)
		}
		object := unstructured.Unstructured{Object: example}
		gvk := object.GroupVersionKind()
		kinds = append(kinds, kind{
			Kind:    bare.Kind{GroupVersionResource: gvk.GroupVersion().WithResource(plural(gvk.Kind)), Kind: gvk.Kind},
			example: example,
		})
	}
	return kinds, nil
}

func plural(kind string) string {
	lower := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(lower, "s"):
		return lower + "es"
	case strings.HasSuffix(lower, "y"):
		return strings.TrimSuffix(lower, "y") + "ies"
	default:
		return lower + "s"
	}
}

// source returns an object of the kind, in the namespace of sources, that consents to being copied.
func (k kind) source(name string) *unstructured.Unstructured {
	source := (&unstructured.Unstructured{Object: k.example}).DeepCopy()
	source.SetNamespace(home)
	source.SetName(name)
	source.SetAnnotations(map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue, editMark: "none"})
	source.SetLabels(map[string]string{"app.kubernetes.io/part-of": "bench"})
	return source
}

// rule returns a rule that copies a source of the kind.
func (k kind) rule(ruleKind, namespace, name string, source types.NamespacedName, destination map[string]any) *unstructured.Unstructured {
	ref := map[string]any{"kind": k.Kind.Kind, "namespace": source.Namespace, "name": source.Name}
	if k.Group != "" {
		ref["group"] = k.Group
	}
	rule := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"source": ref, "destination": destination}}}
	rule.SetGroupVersionKind(v1.GroupVersion.WithKind(ruleKind))
	rule.SetNamespace(namespace)
	rule.SetName(name)
	return rule
}
