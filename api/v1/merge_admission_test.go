package v1_test

import (
	"strings"
	"testing"
)

func TestMergeOfLayers(t *testing.T) {
	merge := func(source, merge, more string) string {
		return "source: {" + source + ", namespace: platform, name: app}\nmerge: " + merge + "\n" + more
	}
	layers := func(count int) string {
		return "{layers: [" + strings.TrimSuffix(strings.Repeat("{namespace: a, name: b},", count), ",") + "]}"
	}
	const noKeys = "spec.merge: Forbidden: only a ConfigMap or a Secret of the core group has keys to merge: remove merge"
	const nothing = "spec.merge.layers: Required: there is nothing to merge: " +
		"list at least one layer, set source.selector in place of source.name, or remove merge"
	const published = "spec.content.data.include: Required: a ConfigMap is readable by more people than a Secret, which is among the layers: " +
		"list every key to copy in content.data.include, without *"
	const unnamed = "spec.destination.name: Required: the sources that are selected become one object: name it in destination.name, or remove merge"
	selected := func(merge, more string) string {
		return "source: {kind: ConfigMap, namespace: platform, selector: {}}\nmerge: " + merge + "\n" + more
	}
	bothKinds(t, []admission{
		{name: "a layer", spec: merge("kind: ConfigMap", layers(1), "")},
		{name: "as many as there can be", spec: merge("kind: Secret", layers(16), "")},
		{name: "all fields", spec: merge("kind: Secret", "{onKeyConflict: Join, layers: [{kind: ConfigMap, namespace: a, name: b, optional: true}]}", "")},
		{name: "selected sources without a name for the copy", spec: selected("{}", ""), want: []string{unnamed}},
		{name: "selected layers", spec: merge("kind: ConfigMap", "{layers: [{namespace: a, selector: {matchLabels: {b: c}}, optional: true}]}", "")},
		{name: "a layer without a name", spec: merge("kind: ConfigMap", "{layers: [{namespace: a}]}", ""),
			want: []string{"spec.merge.layers[0].name: Required: name the layer, or select several objects by their labels in selector"}},
		{name: "a layer with both", spec: merge("kind: ConfigMap", "{layers: [{namespace: a, name: b, selector: {}}]}", ""),
			want: []string{"spec.merge.layers[0].selector: Forbidden: name and selector are mutually exclusive: keep the name of one layer, or the selector of several, " +
				"and remove the other"}},
		{name: "too many", spec: merge("kind: ConfigMap", layers(17), ""), want: []string{"spec.merge.layers: TooMany: Too many: 17: must have at most 16 items"}},
		{name: "no layers", spec: merge("kind: ConfigMap", "{}", ""), want: []string{nothing}},
		{name: "an empty list", spec: merge("kind: ConfigMap", "{onKeyConflict: Last, layers: []}", ""), want: []string{nothing}},
		{name: "another kind", spec: merge("group: apps, kind: Deployment", layers(1), ""), want: []string{noKeys}},
		{name: "another group", spec: merge("group: example.com, kind: Secret", layers(1), ""), want: []string{noKeys}},
		{name: "a layer of another kind", spec: merge("kind: ConfigMap", "{layers: [{kind: Deployment, namespace: a, name: b}]}", ""),
			want: []string{`spec.merge.layers[0].kind: NotSupported: supported values: "ConfigMap", "Secret"`}},
		{name: "another policy", spec: merge("kind: ConfigMap", "{onKeyConflict: Replace, layers: [{namespace: a, name: b}]}", ""),
			want: []string{`spec.merge.onKeyConflict: NotSupported: supported values: "Fail", "First", "Last", "Join"`}},
		{name: "a Secret into a ConfigMap", spec: merge("kind: ConfigMap", "{layers: [{kind: Secret, namespace: a, name: b}]}", ""), want: []string{published}},
		{name: "keys by a pattern", spec: merge("kind: ConfigMap", "{layers: [{kind: Secret, namespace: a, name: b}]}", "content: {data: {include: [a, b*]}}"),
			want: []string{published}},
		{name: "keys by name", spec: merge("kind: ConfigMap", "{layers: [{kind: Secret, namespace: a, name: b}]}", "content: {data: {include: [a, b]}}")},
	})
	admit(t, "ClusterProjection", []admission{
		{name: "selected sources in namespaces", spec: selected("{}", "destination: {name: all, namespaces: [a]}")},
	})
	admit(t, "Projection", []admission{
		{name: "selected sources", spec: selected("{}", "destination: {name: all}")},
		{name: "selected sources and a layer", spec: selected(layers(1), "destination: {name: all}")},
		{name: "a Secret into a ConfigMap that becomes a Secret", spec: merge("kind: ConfigMap", "{layers: [{kind: Secret, namespace: a, name: b}]}", "destination: {kind: Secret}")},
	})
}
