package crd_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"projection.sh/operator/components/publication/crd"
)

// schemasOfA are schemas of spec with a field a, any of which may follow another.
var schemasOfA = []string{
	`{}`, `{x-kubernetes-preserve-unknown-fields: true}`, `{additionalProperties: true}`, `{additionalProperties: {type: string}}`,
	`{additionalProperties: {type: string, maxLength: 1}}`, `{additionalProperties: {x-kubernetes-int-or-string: true}}`, `{additionalProperties: {type: integer}}`,
	`{properties: {a: {type: string}}}`, `{properties: {a: {type: string, nullable: true}}}`, `{required: [a], properties: {a: {type: string}}}`,
	`{properties: {a: {type: string}, b: {type: string}}}`, `{required: [b], properties: {a: {type: string}, b: {type: string}}}`,
	`{x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}`,
	`{properties: {a: {type: string, maxLength: 1}}}`, `{properties: {a: {type: string, maxLength: 2}}}`, `{properties: {a: {type: string, minLength: 1}}}`,
	`{properties: {a: {type: string, minLength: 2}}}`, `{properties: {a: {type: string, pattern: "^x"}}}`, `{properties: {a: {type: string, pattern: "y$"}}}`,
	`{properties: {a: {type: string, enum: [x]}}}`, `{properties: {a: {type: string, enum: [x, xy]}}}`,
	`{properties: {a: {type: integer}}}`, `{properties: {a: {type: number}}}`, `{properties: {a: {x-kubernetes-int-or-string: true}}}`,
	`{properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}}`, `{properties: {a: {type: boolean}}}`,
	`{properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}`, `{properties: {a: {type: integer, minimum: 1}}}`,
	`{properties: {a: {type: integer, minimum: 1, exclusiveMinimum: true}}}`, `{properties: {a: {type: integer, maximum: 1}}}`,
	`{properties: {a: {type: number, maximum: 2}}}`, `{properties: {a: {type: number, maximum: 2, exclusiveMaximum: true}}}`,
	`{properties: {a: {type: integer, multipleOf: 2}}}`, `{properties: {a: {type: integer, multipleOf: 4}}}`, `{properties: {a: {type: integer, format: int32}}}`,
	`{properties: {a: {type: array, items: {type: string}}}}`, `{properties: {a: {type: array, maxItems: 1, items: {type: string}}}}`,
	`{properties: {a: {type: array, minItems: 1, items: {type: string}}}}`, `{properties: {a: {type: array, items: {type: string, maxLength: 1}}}}`,
	`{properties: {a: {type: array, items: {x-kubernetes-int-or-string: true}}}}`, `{properties: {a: {type: array, uniqueItems: true, items: {type: string}}}}`,
	`{properties: {a: {type: object}}}`, `{properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`,
	`{properties: {a: {type: object, properties: {b: {type: string}}}}}`, `{properties: {a: {type: object, minProperties: 1, properties: {b: {type: string}}}}}`,
	`{properties: {a: {type: object, required: [b], properties: {b: {type: string}}}}}`, `{properties: {a: {type: object, additionalProperties: {type: string}}}}`,
	`{properties: {a: {type: string, not: {enum: [x]}}}}`, `{properties: {a: {type: string, anyOf: [{maxLength: 1}, {pattern: "^x"}]}}}`,
	`{properties: {a: {type: string, anyOf: [{maxLength: 1}]}}}`, `{properties: {a: {type: string, oneOf: [{maxLength: 1}, {pattern: "^x"}]}}}`,
	`{properties: {a: {type: string, allOf: [{maxLength: 1}, {pattern: "^x"}]}}}`, `{properties: {a: {type: string, allOf: [{pattern: "^x"}]}}}`,
	`{minProperties: 1, properties: {a: {type: string}}}`, `{maxProperties: 1, properties: {a: {type: string}, b: {type: string}}}`,
}

var specs = []string{
	`{}`, `{"a":null}`, `{"a":""}`, `{"a":"x"}`, `{"a":"y"}`, `{"a":"xy"}`, `{"a":"zzz"}`, `{"a":"x","b":"x"}`, `{"b":"x"}`, `{"b":1}`, `{"c":[1]}`,
	`{"a":0}`, `{"a":1}`, `{"a":2}`, `{"a":4}`, `{"a":-3}`, `{"a":1.5}`, `{"a":9000000000}`, `{"a":true}`, `{"a":[]}`, `{"a":["x"]}`, `{"a":["x","x"]}`, `{"a":["xy"]}`,
	`{"a":[1]}`, `{"a":{}}`, `{"a":{"b":"x"}}`, `{"a":{"b":1}}`, `{"a":{"c":"x"}}`,
}

// What API servers accept and keep with one schema, they accept and keep with each to which it can be upgraded.
func TestNoSafeUpgradeHurtsAnObject(t *testing.T) {
	kept := make([][]bool, len(schemasOfA)) // by schema and spec
	for i, schema := range schemasOfA {
		kept[i] = keeps(t, specOf(definitionWith(t, schema)), specs)
	}
	safe, unsafe := 0, 0
	for i, was := range schemasOfA {
		for j, is := range schemasOfA {
			if crd.Upgrade(definitionWith(t, was), definitionWith(t, is)) != nil {
				unsafe++
				continue
			}
			safe++
			for k, spec := range specs {
				assert.False(t, kept[i][k] && !kept[j][k], "%s is lost from %s to %s", spec, was, is)
			}
		}
	}
	assert.Greater(t, safe, 2*len(schemasOfA), "and not only each schema to itself")
	assert.Greater(t, unsafe, safe)
}

// keeps reports for each value whether an API server with the schema accepts it and keeps all of it.
func keeps(t *testing.T, schema apiextensionsv1.JSONSchemaProps, values []string) (kept []bool) {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&schema, internal, nil))
	validator, _, err := validation.NewSchemaValidator(internal)
	require.NoError(t, err)
	pruned, err := structural.NewStructural(internal)
	require.NoError(t, err)
	for _, text := range values {
		var value map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &value))
		before := runtime.DeepCopyJSON(value)
		pruning.Prune(value, pruned, false)
		valid := len(validation.ValidateCustomResource(field.NewPath("spec"), value, validator)) == 0
		kept = append(kept, valid && assert.ObjectsAreEqual(before, value))
	}
	return kept
}
