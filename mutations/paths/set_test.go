package paths_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations/paths"
)

func TestSet(t *testing.T) {
	const before = `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: 80}, {port: 81}]}, {name: log}], empty: [], list: [[1], [2]]}}`
	for path, want := range map[string]string{
		"spec.replicas":                            `{spec: {replicas: x, containers: [{name: web, image: "web:1", ports: [{port: 80}, {port: 81}]}, {name: log}], empty: [], list: [[1], [2]]}}`,
		"spec":                                     `{spec: x}`,
		"data.key":                                 `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: 80}, {port: 81}]}, {name: log}], empty: [], list: [[1], [2]]}, data: {key: x}}`,
		`data["a.b"]["c"].d`:                       `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: 80}, {port: 81}]}, {name: log}], empty: [], list: [[1], [2]]}, data: {a.b: {c: {d: x}}}}`,
		"spec.containers[name=web].image":          `{spec: {replicas: 1, containers: [{name: web, image: x, ports: [{port: 80}, {port: 81}]}, {name: log}], empty: [], list: [[1], [2]]}}`,
		"spec.containers[*].image":                 `{spec: {replicas: 1, containers: [{name: web, image: x, ports: [{port: 80}, {port: 81}]}, {name: log, image: x}], empty: [], list: [[1], [2]]}}`,
		"spec.containers[name=log].a.b":            `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: 80}, {port: 81}]}, {name: log, a: {b: x}}], empty: [], list: [[1], [2]]}}`,
		"spec.containers[name=web].ports[port=81]": `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: 80}, x]}, {name: log}], empty: [], list: [[1], [2]]}}`,
		"spec.containers[name=web].ports[*].port":  `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: x}, {port: x}]}, {name: log}], empty: [], list: [[1], [2]]}}`,
		"spec.list[*][*]":                          `{spec: {replicas: 1, containers: [{name: web, image: "web:1", ports: [{port: 80}, {port: 81}]}, {name: log}], empty: [], list: [[x], [x]]}}`,
		"spec.empty[*].a":                          before,
		"spec.none[*].a":                           before,
		"none.none[*].a[b=c]":                      before,
	} {
		t.Run(path, func(t *testing.T) {
			object := content(t, before)
			changed, err := paths.Set(object, parse(t, path)[0], "x")
			require.NoError(t, err)
			assert.Equal(t, content(t, want), changed)
			assert.Equal(t, content(t, before), object, "the content stays as it is")
		})
	}
}

func TestSetRefuses(t *testing.T) {
	const before = `{spec: {replicas: 1, containers: [{name: web}], map: {a: 1}, text: x}}`
	for path, reason := range map[string]string{
		"spec.replicas.a":                `what should have the field "a" is no map`,
		"spec.text.a.b":                  `what should have the field "a" is no map`,
		"spec.containers.a":              `what should have the field "a" is no map`,
		"spec.map[*]":                    "what should have elements is no list",
		"spec.map[a=1].b":                "what should have elements is no list",
		"spec.containers[name=log].a":    "the list has no such element",
		"spec.containers[*].none[a=b].c": "the list has no such element",
		"spec.none[name=web]":            "the list has no such element",
		"spec.none.none[name=web].a":     "the list has no such element",
		"spec.containers[*].name.a":      `what should have the field "a" is no map`,
	} {
		t.Run(path, func(t *testing.T) {
			object := content(t, before)
			_, err := paths.Set(object, parse(t, path)[0], "x")
			require.EqualError(t, err, path+" cannot be set: "+reason)
			assert.Equal(t, content(t, before), object, "the content stays as it is")
		})
	}
}
