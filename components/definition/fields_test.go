package definition_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/components/definition"
)

type leaf struct {
	Name string `json:"name"`
}

type common struct {
	Shared string `json:"shared,omitempty"`
}

type spec struct {
	common   `json:",inline"`
	Text     string          `json:"text"`
	Object   leaf            `json:"object,omitzero"`
	Pointer  *leaf           `json:"pointer,omitempty"`
	List     []leaf          `json:"list,omitempty"`
	Map      map[string]leaf `json:"map,omitempty"`
	Labels   map[string]string
	Time     metav1.Time     `json:"time"`
	Raw      json.RawMessage `json:"raw"`
	Anything any             `json:"anything"`
	Hidden   string          `json:"-"`
}

func TestUnknownFieldsOfAValue(t *testing.T) {
	known := definition.FieldsOf(reflect.TypeFor[spec]())
	for name, test := range map[string]struct {
		value string
		want  []string
	}{
		"nothing":                        {`{}`, nil},
		"every field that is known":      {`{shared: a, text: a, object: {name: a}, pointer: {name: a}, list: [{name: a}], map: {x: {name: a}}, Labels: {x: y}}`, nil},
		"a field":                        {`{text: a, more: a}`, []string{".more"}},
		"a field without a value":        {`{more: null}`, []string{".more"}},
		"in other letters":               {`{Text: a}`, []string{".Text"}},
		"one that is not decoded":        {`{Hidden: a}`, []string{".Hidden"}},
		"what is below is not looked at": {`{more: {a: {b: c}}}`, []string{".more"}},
		"of an object":                   {`{object: {name: a, more: a}}`, []string{".object.more"}},
		"of an object behind a pointer":  {`{pointer: {more: a}}`, []string{".pointer.more"}},
		"of one item of a list":          {`{list: [{name: a}, {name: a, more: a}, {more: a}]}`, []string{".list[].more"}},
		"of a value of a map":            {`{map: {x: {name: a}, y.z/w: {more: a}}}`, []string{".map{}.more"}},
		"an object instead of a text":    {`{text: {more: a}}`, []string{".text.more"}},
		"a list instead of a text":       {`{text: [a]}`, []string{".text[]"}},
		"several, sorted":                {`{z: 1, object: {more: 1}, a: 1}`, []string{".a", ".object.more", ".z"}},
		"types that decode themselves":   {`{time: {a: b}, raw: {a: [b]}, anything: [{a: b}]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var value any
			require.NoError(t, yaml.Unmarshal([]byte(test.value), &value))
			assert.Equal(t, test.want, known.Unknown(value))
		})
	}
}
