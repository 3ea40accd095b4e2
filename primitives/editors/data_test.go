package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/editors"
)

func TestConfigMapData(t *testing.T) {
	object := corev1.ConfigMap{}
	editor := editors.NewConfigMapDataEditor(&object.Data, &object.BinaryData)
	editor.Remove("a")
	editor.RemoveBinary("a")
	assert.Equal(t, corev1.ConfigMap{}, object)
	editor.Set("a", "1")
	editor.Set("b", "2")
	editor.Remove("a")
	editor.SetBinary("c", []byte{3})
	assert.Equal(t, corev1.ConfigMap{Data: map[string]string{"b": "2"}, BinaryData: map[string][]byte{"c": {3}}}, object)
	editor.Remove("b")
	editor.RemoveBinary("c")
	assert.Equal(t, corev1.ConfigMap{}, object, "what is empty is nil")
	editor.Raw()["d"] = "4"
	editor.RawBinary()["e"] = []byte{5}
	assert.Equal(t, corev1.ConfigMap{Data: map[string]string{"d": "4"}, BinaryData: map[string][]byte{"e": {5}}}, object)
}

func TestSecretData(t *testing.T) {
	object := corev1.Secret{}
	editor := editors.NewSecretDataEditor(&object.Data, &object.StringData)
	editor.Set("a", []byte("1"))
	editor.Set("b", []byte("2"))
	editor.Remove("a")
	editor.SetString("c", "3")
	editor.SetString("d", "4")
	editor.RemoveString("c")
	assert.Equal(t, corev1.Secret{Data: map[string][]byte{"b": []byte("2")}, StringData: map[string]string{"d": "4"}}, object)
	editor.Remove("b")
	editor.RemoveString("d")
	assert.Equal(t, corev1.Secret{}, object)
	editor.Raw()["e"] = nil
	editor.RawStringData()["f"] = ""
	assert.Equal(t, corev1.Secret{Data: map[string][]byte{"e": nil}, StringData: map[string]string{"f": ""}}, object)
}

func TestEditorsOfNothing(t *testing.T) {
	configMap := editors.NewConfigMapDataEditor(nil, nil)
	configMap.Set("a", "1")
	configMap.SetBinary("a", nil)
	require.NoError(t, configMap.MergeYAML("b", "c: d"))
	assert.Equal(t, map[string]string{"a": "1", "b": "c: d\n"}, configMap.Raw())
	secret := editors.NewSecretDataEditor(nil, nil)
	secret.Set("a", nil)
	secret.SetString("a", "1")
	assert.Equal(t, map[string]string{"a": "1"}, secret.RawStringData())
	rules := editors.NewPolicyRulesEditor(nil)
	rules.RemoveRuleByIndex(0)
	assert.Empty(t, *rules.Raw())
	subjects := editors.NewBindingSubjectsEditor(nil)
	subjects.EnsureServiceAccount("a", "b")
	assert.Len(t, *subjects.Raw(), 1)
}

func TestMergeYAML(t *testing.T) {
	const several = "more than one document"
	for name, test := range map[string]struct{ existing, patch, want, err string }{
		"absent":                     {"", "b: 1\na: 2\n", "a: 2\nb: 1\n", ""},
		"maps":                       {"a:\n  b: 1\n  c: 2\n", "a:\n  c: 3\n  d: 4\n", "a:\n  b: 1\n  c: 3\n  d: 4\n", ""},
		"lists are replaced":         {"a: [1, 2]", "a: [3]", "a:\n- 3\n", ""},
		"null wins":                  {"a: {b: 1}", "a: null", "a: null\n", ""},
		"a map over text":            {"a: text", "a: {b: 1}", "a:\n  b: 1\n", ""},
		"text over a map":            {"a: 1", "text", "text\n", ""},
		"big integers stay":          {"a: 9007199254740993\nb: 18446744073709551615\n", "c: -9007199254740993", "a: 9007199254740993\nb: 18446744073709551615\nc: -9007199254740993\n", ""},
		"fractions stay":             {"a: 0.1", "b: 1.5", "a: 0.1\nb: 1.5\n", ""},
		"text like numbers":          {`a: "1"`, `b: "true"`, "a: \"1\"\nb: \"true\"\n", ""},
		"a marker before":            {"", "# comment\n---\na: 1\n", "a: 1\n", ""},
		"a marker at the end":        {"", "a: 1\n---\n", "a: 1\n", ""},
		"an empty patch":             {"a: 1", "", "null\n", ""},
		"a patch that is several":    {"a: 1", "a: 2\n---\nb: 3\n", "", `configmap entry "key": failed to parse YAML patch: ` + several},
		"an entry that is several":   {"a: 1\n---\nb: 2\n", "a: 2", "", `configmap entry "key": failed to parse existing value as YAML: ` + several},
		"a patch that is none":       {"a: 1", "a: [", "", `configmap entry "key": failed to parse YAML patch: `},
		"an entry that is none":      {"a: [", "a: 1", "", `configmap entry "key": failed to parse existing value as YAML: `},
		"a number that JSON has not": {"", "a: .nan", "", `configmap entry "key": failed to parse YAML patch: `},
	} {
		t.Run(name, func(t *testing.T) {
			data := map[string]string{}
			if test.existing != "" {
				data["key"] = test.existing
			}
			err := editors.NewConfigMapDataEditor(&data, nil).MergeYAML("key", test.patch)
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				assert.Equal(t, test.existing, data["key"])
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, data["key"])
		})
	}
}
