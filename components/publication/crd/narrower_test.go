package crd_test

import "testing"

// Each pair is two schemas of spec: narrower says what is lost on the way from the first to the second, and back, on the way back. Empty: nothing.
func TestUpgradeOfSchemas(t *testing.T) {
	tests := map[string]struct{ was, is, narrower, back string }{
		"descriptions": {was: `{description: a, title: a, example: 1}`, is: `{description: b, externalDocs: {url: x}}`},
		"field": {
			was: `{properties: {a: {type: string}}}`, is: `{properties: {a: {type: string}, b: {type: string, default: x}}}`,
			back: "version v1, spec.b: the field leaves"},
		"deep": {
			was: `{properties: {a: {type: array, items: {type: object, additionalProperties: {type: string}}}}}`,
			is:  `{properties: {a: {type: array, items: {type: object, additionalProperties: {type: string, maxLength: 1}}}}}`, narrower: "spec.a[*].*: maxLength shrinks to 1"},
		"required": {
			was: `{properties: {a: {type: string}}}`, is: `{required: [a], properties: {a: {type: string}}}`, narrower: "spec.a: the field becomes required"},
		"new and required": {was: `{}`, is: `{required: [a], properties: {a: {type: string}}}`, narrower: "spec.a: the field becomes required", back: "spec.a: the field leaves"},
		"required with a default": {
			was: `{}`, is: `{required: [a], properties: {a: {type: string, default: x}}}`, back: "spec.a: the field leaves"},
		"default": {
			was: `{properties: {a: {type: string}}}`, is: `{properties: {a: {type: string, default: x}}}`,
			narrower: "spec.a: the default changes", back: "spec.a: the default changes"},
		"type": {
			was: `{properties: {a: {type: string}}}`, is: `{properties: {a: {type: boolean}}}`,
			narrower: "spec.a: the type changes from string to boolean", back: "the type changes from boolean to string"},
		"number": {
			was: `{properties: {a: {type: integer}}}`, is: `{properties: {a: {type: number}}}`, back: "spec.a: the type changes from number to integer"},
		"integer or string": {
			was: `{properties: {a: {type: integer}}}`, is: `{properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}}`,
			back: "spec.a: the type changes from integer or string to integer"},
		"any type": {
			was: `{properties: {a: {type: object, properties: {b: {type: integer}}}}}`, is: `{properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}`,
			back: "spec.a: the type changes from anything to object"},
		"null":    {was: `{properties: {a: {type: string}}}`, is: `{properties: {a: {type: string, nullable: true}}}`, back: "spec.a: null is no longer allowed"},
		"format":  {was: `{format: date}`, is: `{}`, back: "spec: the format becomes date"},
		"formats": {was: `{format: int32}`, is: `{format: int64}`, back: "spec: the format becomes int32"},
		"pattern": {was: `{pattern: a}`, is: `{}`, back: `spec: the pattern becomes "a"`},
		"other pattern": {
			was: `{pattern: a}`, is: `{pattern: b}`, narrower: `the pattern becomes "b"`, back: `the pattern becomes "a"`},
		"minimum":           {was: `{minimum: 2}`, is: `{minimum: 1}`, back: "spec: the minimum grows to 2"},
		"no minimum":        {was: `{minimum: 2}`, is: `{}`, back: "spec: the minimum grows to 2"},
		"exclusive minimum": {was: `{minimum: 2, exclusiveMinimum: true}`, is: `{minimum: 2}`, back: "spec: the minimum grows to 2, exclusive"},
		"maximum":           {was: `{maximum: 1}`, is: `{maximum: 2}`, back: "spec: the maximum shrinks to 1"},
		"no maximum":        {was: `{maximum: 1}`, is: `{}`, back: "spec: the maximum shrinks to 1"},
		"exclusive maximum": {was: `{maximum: 2, exclusiveMaximum: true}`, is: `{maximum: 2}`, back: "spec: the maximum shrinks to 2, exclusive"},
		"multiple":          {was: `{multipleOf: 4}`, is: `{multipleOf: 2}`, back: "spec: the value has to be a multiple of 4"},
		"no multiple":       {was: `{multipleOf: 4}`, is: `{}`, back: "spec: the value has to be a multiple of 4"},
		"minLength":         {was: `{minLength: 2}`, is: `{minLength: 1}`, back: "spec: minLength grows to 2"},
		"minLength of 0":    {was: `{}`, is: `{minLength: 0}`},
		"minItems":          {was: `{minItems: 2}`, is: `{}`, back: "spec: minItems grows to 2"},
		"minProperties":     {was: `{minProperties: 2}`, is: `{}`, back: "spec: minProperties grows to 2"},
		"maxLength":         {was: `{maxLength: 2}`, is: `{maxLength: 3}`, back: "spec: maxLength shrinks to 2"},
		"maxItems":          {was: `{maxItems: 2}`, is: `{}`, back: "spec: maxItems shrinks to 2"},
		"maxProperties":     {was: `{maxProperties: 2}`, is: `{}`, back: "spec: maxProperties shrinks to 2"},
		"unique elements":   {was: `{uniqueItems: true}`, is: `{}`, back: "spec: elements have to be unique"},
		"enumeration":       {was: `{enum: [a]}`, is: `{enum: [b, a]}`, back: `spec: the value "b" is no longer allowed`},
		"no enumeration":    {was: `{enum: [a]}`, is: `{}`, back: "spec: the value becomes one of an enumeration"},
		"rule": {
			was: `{x-kubernetes-validations: [{rule: "true", message: a}]}`, is: `{x-kubernetes-validations: []}`, back: `spec: the rule "true" is new`},
		"message of a rule": {
			was: `{x-kubernetes-validations: [{rule: "true", message: a}]}`, is: `{x-kubernetes-validations: [{rule: "true", message: b}]}`},
		"rule without an old value": {
			was:      `{x-kubernetes-validations: [{rule: "oldSelf == self"}]}`,
			is:       `{x-kubernetes-validations: [{rule: "oldSelf == self", optionalOldSelf: true}]}`,
			narrower: `the rule "oldSelf == self" is new`, back: `the rule "oldSelf == self" is new`},
		"unknown fields": {
			was: `{properties: {a: {type: string}}}`, is: `{x-kubernetes-preserve-unknown-fields: true}`,
			back: "spec.a: the type changes from anything to string"},
		"unknown fields of a map": {
			was: `{additionalProperties: {type: string}}`, is: `{x-kubernetes-preserve-unknown-fields: true}`,
			back: "spec.*: the type changes from anything to string"},
		"any map": {
			was: `{additionalProperties: true}`, is: `{x-kubernetes-preserve-unknown-fields: true}`,
			back: "spec.*: fields of the value are no longer kept"},
		"any map of texts": {
			was: `{additionalProperties: {type: string}}`, is: `{additionalProperties: true}`, back: "spec.*: the type changes from anything to string"},
		"no map": {
			was: `{additionalProperties: false}`, is: `{additionalProperties: {type: string}}`,
			back: "spec.*: fields that the schema does not name are no longer kept"},
		"map of fields": {
			was: `{properties: {a: {type: string}}}`, is: `{additionalProperties: {type: string}}`,
			back: "spec.*: fields that the schema does not name are no longer kept"},
		"narrower map of fields": {
			was: `{properties: {a: {type: string}}}`, is: `{additionalProperties: {type: string, maxLength: 3}}`, narrower: "spec.a: maxLength shrinks to 3",
			back: "spec.*: fields that the schema does not name are no longer kept"},
		"embedded object": {
			was: `{x-kubernetes-embedded-resource: true}`, is: `{}`, narrower: "embedded object", back: "embedded object"},
		"type of a list": {
			was: `{x-kubernetes-list-type: atomic}`, is: `{x-kubernetes-list-type: set}`,
			narrower: "spec: the type of the list changes from atomic to set", back: "spec: the type of the list changes from set to atomic"},
		"no type of a list": {was: `{x-kubernetes-list-type: atomic}`, is: `{}`},
		"keys of a list": {
			was: `{x-kubernetes-list-map-keys: [a]}`, is: `{x-kubernetes-list-map-keys: [a, b]}`,
			narrower: "spec: the keys of the list change from [a] to [a b]", back: "the keys of the list change"},
		"type of a map": {
			was: `{x-kubernetes-map-type: atomic}`, is: `{x-kubernetes-map-type: granular}`, narrower: "the type of the map changes", back: "the type of the map changes"},
		"allOf":    {was: `{allOf: [{maxLength: 3}, {minLength: 1}]}`, is: `{allOf: [{minLength: 1, description: a}]}`, back: "spec: allOf becomes narrower"},
		"anyOf":    {was: `{anyOf: [{maxLength: 3}]}`, is: `{anyOf: [{minLength: 1}, {maxLength: 3}]}`, back: "spec: anyOf changes"},
		"no anyOf": {was: `{anyOf: [{maxLength: 3}]}`, is: `{}`, back: "spec: anyOf changes"},
		"oneOf":    {was: `{oneOf: [{maxLength: 3}]}`, is: `{oneOf: [{maxLength: 3}, {minLength: 9}]}`, narrower: "spec: oneOf changes", back: "spec: oneOf changes"},
		"no oneOf": {was: `{oneOf: [{maxLength: 3}]}`, is: `{}`, back: "spec: oneOf changes"},
		"not":      {was: `{not: {maxLength: 3}}`, is: `{}`, back: "spec: not changes"},
		"other not": {
			was: `{not: {maxLength: 3}}`, is: `{not: {maxLength: 4}}`, narrower: "spec: not changes", back: "spec: not changes"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			requireUpgrade(t, test.narrower, definitionWith(t, test.was), definitionWith(t, test.is))
			requireUpgrade(t, test.back, definitionWith(t, test.is), definitionWith(t, test.was))
		})
	}
}
