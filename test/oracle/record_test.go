package oracle_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// TestRecordOfConsentHasWhoConsentsAndNobodyElse gives a rule an optional layer, whose owner consents or not.
func TestRecordOfConsentHasWhoConsentsAndNobodyElse(t *testing.T) {
	const settings, layer, other = "ConfigMap/home/settings", "ConfigMap/home/layer", "ConfigMap/home/other"
	tests := map[string]struct {
		layer    string // the annotation of its owner; empty: it does not exist
		recorded []string
		right    bool
	}{
		"both consent":                      {`"true"`, []string{settings, layer}, true},
		"the layer's owner is forgotten":    {`"true"`, []string{settings}, false},
		"the source's owner is forgotten":   {`"true"`, []string{layer}, false},
		"a veto":                            {`"false"`, []string{settings}, true},
		"a veto that is not recorded":       {`"false"`, []string{settings, layer}, false},
		"an owner who says nothing":         {`null`, []string{settings, layer}, false},
		"a layer that does not exist":       {"", []string{settings}, true},
		"a layer that does not exist still": {"", []string{settings, layer}, true},
		"one that the rule does not name":   {`"true"`, []string{settings, layer, other}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := healthy(t)
			c.rule.Spec.Merge = &v1.Merge{Layers: []v1.Layer{{Namespace: "home", Name: "layer", Optional: true}}}
			named := "none"
			if test.layer != "" {
				c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: home, name: layer, annotations: {projection.sh/projectable: " + test.layer + "}}}"))
			}
			if test.layer == `"true"` {
				named = layer
			}
			for _, namespace := range []string{"one", "two"} {
				set(c.at(namespace), named, "metadata", "annotations", v1.AnnotationLayers)
			}
			hashes := make([]string, len(test.recorded))
			for i, source := range test.recorded {
				sum := sha256.Sum256([]byte(source))
				hashes[i] = hex.EncodeToString(sum[:10])
			}
			c.rule.Annotations[v1.AnnotationConsentingSource] = "selected:" + strings.Join(hashes, ",")
			problems := oracle.Problems(c.State, c.foreign)
			assert.Equal(t, test.right, len(problems) == 0, "%v", problems)
		})
	}
}
