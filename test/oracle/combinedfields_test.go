package oracle_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestCombinedFieldsNameTestsThatExist reads the page that says which fields act on each other.
func TestCombinedFieldsNameTestsThatExist(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(env.Root(), "docs", "reference", "combined-fields.md"))
	require.NoError(t, err)
	known, rows := tests(t), 0
	for row := range strings.SplitSeq(string(page), "\n") {
		cells := strings.Split(row, "|")
		if len(cells) != 6 || !strings.Contains(cells[1], "`") {
			continue
		}
		rows++
		assert.Positive(t, exist(t, known, cells[4]), row)
	}
	assert.Positive(t, rows)
	for _, spec := range []any{v1.ProjectionSpec{}, v1.ClusterProjectionSpec{}} {
		for _, field := range fieldsOf(reflect.TypeOf(spec)) {
			assert.Regexp(t, "\\|[^|]*`"+regexp.QuoteMeta(field)+"[.:`]", string(page), "%T: a field that acts on no other is named in a row, too, or above the table", spec)
		}
	}
}

// fieldsOf returns the names of the fields of a spec, as users write them, and those of its policy.
func fieldsOf(spec reflect.Type) []string {
	var fields []string
	for field := range spec.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "":
			fields = append(fields, fieldsOf(field.Type)...)
		case field.Type == reflect.TypeFor[v1.Policy]():
			for _, part := range fieldsOf(field.Type) {
				fields = append(fields, name+"."+part)
			}
		default:
			fields = append(fields, name)
		}
	}
	return fields
}
