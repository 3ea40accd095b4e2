package v1_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A change of the schema has to be meant: it shows as a changed line of these files, which hold all but the descriptions.
func TestSchemaIsAsReviewed(t *testing.T) {
	for kind, plural := range resources {
		t.Run(kind, func(t *testing.T) {
			path := filepath.Join("testdata", plural+".golden")
			rendered := render(definition(t, kind))
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(rendered), 0o600))
			}
			golden, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(golden), rendered, "if this is meant, run: go test ./api/v1 -run SchemaIsAsReviewed -update")
		})
	}
}

func render(crd *apiextensionsv1.CustomResourceDefinition) string {
	version := crd.Spec.Versions[0]
	lines := []string{
		fmt.Sprintf("%s %s %s %v %v", crd.Spec.Names.Kind, crd.Spec.Scope, crd.Name, crd.Spec.Names.ShortNames, crd.Spec.Names.Categories),
		fmt.Sprintf("version %s served=%t storage=%t status=%t", version.Name, version.Served, version.Storage, version.Subresources.Status != nil),
	}
	for _, column := range version.AdditionalPrinterColumns {
		lines = append(lines, fmt.Sprintf("column %s %s %s priority=%d", column.Name, column.Type, column.JSONPath, column.Priority))
	}
	for _, field := range version.SelectableFields {
		lines = append(lines, "selectable "+field.JSONPath)
	}
	fields := map[string]string{}
	walk("", version.Schema.OpenAPIV3Schema, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		fields[path] = renderField(schema)
	})
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		lines = append(lines, "field "+path+" "+fields[path])
	}
	return strings.Join(lines, "\n") + "\n"
}

func renderField(schema *apiextensionsv1.JSONSchemaProps) string {
	words := []string{schema.Type}
	say := func(keyword string, value any, said bool) {
		if said {
			words = append(words, fmt.Sprintf("%s=%v", keyword, value))
		}
	}
	say("format", schema.Format, schema.Format != "")
	say("required", schema.Required, len(schema.Required) > 0)
	say("pattern", schema.Pattern, schema.Pattern != "")
	if schema.Default != nil {
		say("default", string(schema.Default.Raw), true)
	}
	for _, value := range schema.Enum {
		say("enum", string(value.Raw), true)
	}
	for keyword, limit := range limits(schema) {
		say(keyword, limit, true)
	}
	slices.Sort(words[1:])
	lines := []string{strings.Join(words, " ")}
	for _, rule := range schema.XValidations {
		lines = append(lines, "  rule "+rule.Rule, fmt.Sprintf("    %s %s", *rule.Reason, cmp.Or(rule.FieldPath, ".")), "    "+rule.Message)
		if rule.MessageExpression != "" {
			lines = append(lines, "    "+rule.MessageExpression)
		}
	}
	return strings.Join(lines, "\n")
}

func limits(schema *apiextensionsv1.JSONSchemaProps) map[string]string {
	set := map[string]string{}
	for keyword, limit := range map[string]*int64{
		"minLength": schema.MinLength, "maxLength": schema.MaxLength,
		"minItems": schema.MinItems, "maxItems": schema.MaxItems,
		"minProperties": schema.MinProperties, "maxProperties": schema.MaxProperties,
	} {
		if limit != nil {
			set[keyword] = strconv.FormatInt(*limit, 10)
		}
	}
	if schema.Minimum != nil {
		set["minimum"] = fmt.Sprint(*schema.Minimum)
	}
	if schema.XListType != nil {
		set["list"] = fmt.Sprint(*schema.XListType, schema.XListMapKeys)
	}
	if schema.Nullable {
		set["nullable"] = "true"
	}
	return set
}
