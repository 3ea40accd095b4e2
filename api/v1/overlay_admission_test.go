package v1_test

import (
	"strings"
	"testing"
)

const (
	badLabelKey    = " cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case"
	someBadKey     = ": Invalid: not every key can be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case"
	badLabelValue  = "this cannot be the value of a label: write at most 63 letters, digits, \"-\", \"_\" and \".\", with a letter or digit at both ends, or nothing"
	annotationSize = "spec.overlay.annotations: Invalid: the annotations of an object may not exceed 256 KiB in total, those of the source included: shorten or remove some"
)

func TestOverlayLabelsAreCheckedAtAdmission(t *testing.T) {
	const labels = "spec.overlay.labels"
	bothKinds(t, overlays("labels", []admission{
		{name: "none", spec: `{}`},
		{name: "plain and prefixed", spec: `{tenant: tenant-a, example.com/Team_1.x: "", 1: "2"}`},
		{name: "longest", spec: `{` + strings.Repeat("k", 63) + `: ` + strings.Repeat("v", 63) + `}`},
		{name: "key that only begins like ours", spec: `{projection.shop/x: a, projection.sh: b, x.projection.sh/c: d}`},

		{name: "key with a blank", spec: `{"my team": x}`, want: []string{labels + `: Invalid: "my team"` + badLabelKey}},
		{name: "key with two slashes", spec: `{a/b/c: x}`, want: []string{labels + `: Invalid: "a/b/c"` + badLabelKey}},
		{name: "key with a prefix in upper case", spec: `{Example.com/x: x}`, want: []string{labels + `: Invalid: "Example.com/x"` + badLabelKey}},
		{name: "key without a name", spec: `{example.com/: x}`, want: []string{labels + `: Invalid: "example.com/"` + badLabelKey}},
		{name: "empty key", spec: `{"": x}`, want: []string{labels + `: Invalid: ""` + badLabelKey}},
		{name: "key too long", spec: `{` + strings.Repeat("k", 64) + `: x}`, want: []string{labels + `: Invalid: "` + strings.Repeat("k", 64) + `"` + badLabelKey}},
		{name: "key with a line break", spec: `{"a\nb": x}`, want: []string{labels + someBadKey}},
		{name: "value with a blank", spec: `{team: a b}`, want: []string{labels + "[team]: Invalid: " + badLabelValue}},
		{name: "value that ends in a dash", spec: `{team: a-}`, want: []string{labels + "[team]: Invalid: " + badLabelValue}},
		{name: "value too long", spec: `{team: ` + strings.Repeat("v", 64) + `}`, want: []string{labels + ".team: TooLong: Too long: may not be more than 63 bytes"}},
		{name: "ownership", spec: `{projection.sh/owned-by-projection-uid: x}`, want: []string{labels + ": Forbidden: " + reserved("projection.sh/owned-by-projection-uid")}},
		{name: "too many", spec: `{` + strings.Join(numbered("k", 101), ": x, ") + `: x}`, want: []string{labels + ": TooMany: Too many: 101: must have at most 100 items"}},
	}))
}

func TestOverlayAnnotationsAreCheckedAtAdmission(t *testing.T) {
	const annotations = "spec.overlay.annotations"
	badKey := strings.Replace(badLabelKey, "a label", "an annotation", 1)
	bothKinds(t, overlays("annotations", []admission{
		{name: "plain and prefixed", spec: `{mirror.example.com/source: "platform/app-config: any text,\nof any form", Plain: ""}`},
		{name: "prefix in upper case", spec: `{Example.com/x: x}`},
		{name: "as large as can be", spec: `{k: "` + strings.Repeat("v", 256<<10-1) + `"}`},

		{name: "key with a blank", spec: `{"my team": x}`, want: []string{annotations + `: Invalid: "my team"` + badKey}},
		{name: "consent", spec: `{projection.sh/projectable: "true"}`, want: []string{annotations + ": Forbidden: " + reserved("projection.sh/projectable")}},
		{name: "too large together", spec: `{a: "` + strings.Repeat("v", 128<<10) + `", b: "` + strings.Repeat("v", 128<<10) + `"}`, want: []string{annotationSize}},
		{name: "one too large", spec: `{a: "` + strings.Repeat("v", 256<<10+1) + `"}`, want: []string{annotations + ".a: TooLong: Too long: may not be more than 262144 bytes"}},
		{name: "too many", spec: `{` + strings.Join(numbered("k", 101), ": x, ") + `: x}`, want: []string{annotations + ": TooMany: Too many: 101: must have at most 100 items"}},
	}))
}

func reserved(key string) string {
	return `"` + key + `" belongs to the operator and cannot be set here: use another prefix than projection.sh/, such as "example.com/"`
}

func overlays(field string, table []admission) []admission {
	for i := range table {
		table[i].spec = anySource + "overlay: {" + field + ": " + table[i].spec + "}"
	}
	return table
}
