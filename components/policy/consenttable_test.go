package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// consentTable has, for each value of the annotation, whether a source is copied into a namespace with the label team=shop and into one without it.
var consentTable = map[string]struct {
	value *string
	// allowlist and permissive are pairs: with the label, and without.
	allowlist, permissive [2]bool
}{
	"no annotation":           {nil, [2]bool{}, [2]bool{true, true}},
	"every namespace":         {new("true"), [2]bool{true, true}, [2]bool{true, true}},
	"none":                    {new("false"), [2]bool{}, [2]bool{}},
	"namespaces":              {new("namespaces: team=shop"), [2]bool{true, false}, [2]bool{true, false}},
	"namespaces without":      {new("namespaces: team!=shop"), [2]bool{false, true}, [2]bool{false, true}},
	"namespaces that are all": {new("namespaces: team in (shop,other)"), [2]bool{true, false}, [2]bool{true, false}},
	"a malformed selector":    {new("namespaces: team in"), [2]bool{}, [2]bool{}},
	"an empty selector":       {new("namespaces:"), [2]bool{}, [2]bool{}},
	"another value":           {new("yes"), [2]bool{}, [2]bool{true, true}},
	"another case":            {new("True"), [2]bool{}, [2]bool{true, true}},
	"an empty value":          {new(""), [2]bool{}, [2]bool{true, true}},
}

func TestConsentTable(t *testing.T) {
	namespaces := [2]map[string]string{{"team": "shop"}, nil}
	for name, row := range consentTable {
		t.Run(name, func(t *testing.T) {
			annotations := map[string]string{}
			if row.value != nil {
				annotations[v1.AnnotationProjectable] = *row.value
			}
			for mode, want := range map[policy.Mode][2]bool{policy.Allowlist: row.allowlist, policy.Permissive: row.permissive} {
				permission, _ := policy.PermissionOf(annotations) // one that is malformed permits nothing
				for i, labels := range namespaces {
					assert.Equal(t, want[i], mode.Consents(annotations) && permission.Permits(labels), "%s, labels %v", mode, labels)
				}
			}
		})
	}
}
