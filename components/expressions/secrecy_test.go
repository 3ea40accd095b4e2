package expressions_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/expressions"
)

// canary stands for what is secret.
const canary = "c4n4ry"

func secretSource() expressions.Source {
	return expressions.Source{IsSecret: true, Secrecy: true, Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": map[string]any{"name": "db", "labels": map[string]any{"app": "db"}},
		"data": map[string]any{"user": encoded(canary), "binary": encoded("\xff" + canary), canary: encoded("x")},
	}}
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestDataOfASecret(t *testing.T) {
	for text, want := range map[string]string{
		"'postgres://' + string(source.data['user']) + '@db.' + target.name": "postgres://" + canary + "@db.tenant-a",
		"source.data['binary']":      "\xff" + canary,
		"b'\\xff'":                   "\xff",
		"string(source.data.user)":   canary,
		"'plain'":                    "plain",
		"source.data[?'none']":       "",
		"target.labels['team']":      "a",
		"source.metadata.labels.app": "db",
	} {
		value, some, err := evaluate(expressions.Field{Path: "data.url", Expression: text, Data: true}, secretSource(), tenant)
		require.NoError(t, err, text)
		assert.Equal(t, want != "", some, text)
		if some {
			assert.Equal(t, encoded(want), value, text)
		}
	}
	for _, text := range []string{"1", "true", "['a']", "{'a': 'x'}", "{string(source.data['user']): 'x'}"} {
		_, _, err := evaluate(expressions.Field{Path: "data", Expression: text, Data: true}, secretSource(), tenant)
		requireCause(t, expressions.NotConvertible, err)
	}
}

// Elsewhere than at its data, no expression sees the data of a Secret.
func TestDataOfASecretStaysInData(t *testing.T) {
	for _, path := range []string{"metadata.labels.user", "metadata.annotations.user", "type", "stringData.user", "spec.user", "database.user"} {
		for _, text := range []string{
			"string(source.data['user'])", "source.data", "source['data']", "source.data.user", "dyn(source)['data']['user']",
			"[source][0].data.user", "source.map(k, source[k])[0]", "source", "source.map(k, k).join('')", "source.?data.?user",
			"source.data.exists(k, k.startsWith('c'))", "has(source.data.user)", "size(source.data)", "{'a': source}",
		} {
			value, _, err := evaluate(expressions.Field{Path: path, Expression: text}, secretSource(), tenant)
			told := fmt.Sprint(value, secretSource().Describe(orNone(err)))
			assert.NotContains(t, told, canary, "%s at %s", text, path)
			assert.NotContains(t, told, encoded(canary), "%s at %s", text, path)
			assert.NotContains(t, told, encoded("\xff"+canary), "%s at %s", text, path)
		}
	}
}

func orNone(err error) error {
	if err == nil {
		return errors.New("none")
	}
	return err
}

// No error of an expression that reads a Secret quotes it.
func TestErrorsAboutASecretQuoteNothing(t *testing.T) {
	source := secretSource()
	for text, want := range map[string]string{
		"int(string(source.data['user']))":                       "overlay.fields[0]: cannot be converted",
		"{'a': 1}[string(source.data['user'])]":                  "overlay.fields[0]: no such key",
		"source.data['x' + string(source.data['user'])]":         "overlay.fields[0]: no such key",
		"string(source.data['binary'])":                          "overlay.fields[0]: cannot be converted",
		"'x'.substring(0, size(string(source.data['user'])))":    "overlay.fields[0]: failed",
		"[1][int(source.data['user'].size())]":                   "overlay.fields[0]: failed",
		"source.data['user'] + 1":                                "overlay.fields[0]: no such overload",
		"[{'k': source.data['user']}].map(m, m[string(m['k'])])": "overlay.fields[0]: no such key",
		"source.data['user'] < 1":                                "overlay.fields[0]: no such overload",
	} {
		_, _, err := evaluate(expressions.Field{Path: "data.x", Expression: text, Data: true}, source, tenant)
		require.Error(t, err, text)
		told := source.Describe(err)
		assert.NotContains(t, told, canary, text)
		assert.Contains(t, []string{want}, told, text)
	}
	_, _, err := evaluate(expressions.Field{Path: "data.x", Expression: "target.labels['none']", Data: true}, source, tenant)
	assert.Equal(t, "overlay.fields[0]: no such key", source.Describe(err))
	assert.Equal(t, "failed", source.Describe(fmt.Errorf("%s", canary)))
}
