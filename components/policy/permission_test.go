package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// permission parses what the annotation says.
func permission(t *testing.T, says string) policy.Permission {
	t.Helper()
	parsed, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: says})
	require.NoError(t, err)
	return parsed
}

func TestWhichNamespacesAnOwnerPermits(t *testing.T) {
	namespaces := map[string]map[string]string{
		"shop":  {"team": "shop", "stage": "prod", "kubernetes.io/metadata.name": "shop"},
		"dev":   {"team": "shop", "stage": "dev", "kubernetes.io/metadata.name": "dev"},
		"other": {"team": "other", "kubernetes.io/metadata.name": "other"},
		"bare":  nil,
	}
	for says, permitted := range map[string][]string{
		"namespaces: team=shop":                                  {"shop", "dev"},
		"namespaces:team=shop":                                   {"shop", "dev"},
		"namespaces: team=shop,stage in (prod, test)":            {"shop"},
		"namespaces: team = shop , stage notin (prod)":           {"dev"},
		"namespaces: kubernetes.io/metadata.name in (other,dev)": {"dev", "other"},
		"namespaces: team":                                       {"shop", "dev", "other"},
		"namespaces: !team":                                      {"bare"},
		"namespaces: team!=shop":                                 {"other", "bare"},
		"namespaces: team in (shop),team in (other)":             nil,
		"true": {"shop", "dev", "other", "bare"},
	} {
		var got []string
		for _, name := range []string{"shop", "dev", "other", "bare"} {
			if permission(t, says).Permits(namespaces[name]) {
				got = append(got, name)
			}
		}
		assert.Equal(t, permitted, got, says)
		assert.Equal(t, says != "true", permission(t, says).IsLimited(), says)
	}
}

func TestSelectorThatIsNonePermitsNoNamespace(t *testing.T) {
	many := "namespaces: a" + strings.Repeat(",a", 100)
	for _, says := range []string{
		"namespaces:", "namespaces: ", "namespaces: ,", "namespaces: team in", "namespaces: team in (", "namespaces: -team", "namespaces: team=-x",
		"namespaces: team=shop;stage=prod", "namespaces: team=" + strings.Repeat("x", 64), "namespaces: {team: shop}", "namespaces: *", many,
		"namespaces: team=", "namespaces: team!=", "namespaces: team in ()", "namespaces: team notin (,)", "namespaces: team notin (shop,)",
		"Namespaces: team=shop", " namespaces: team=shop", "namespace: team=shop", "namespaces : team=shop", "namespaces", "namespaces-by-name: shop",
		"namespaces: team in (" + strings.Repeat("shop,", 4000) + "shop)",
	} {
		parsed, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: says})
		require.Error(t, err, says)
		assert.True(t, parsed.IsLimited(), says)
		assert.False(t, parsed.Permits(map[string]string{"team": "shop", "a": ""}), says)
		assert.False(t, parsed.Permits(nil), says)
	}
	assert.True(t, permission(t, strings.TrimSuffix(many, ",a")).Permits(map[string]string{"a": ""}), "as many requirements as a rule may have")
}

func TestRefusalNamesTheSelectorAndIsShort(t *testing.T) {
	assert.Equal(t, "the owner of the source permits copies only in namespaces that match stage in (prod,test),team=shop; "+
		"ask the owner to permit this namespace, or an administrator to label it",
		permission(t, "namespaces: team=shop, stage in (test,prod)").Refusal())
	assert.Less(t, len(permission(t, "namespaces: a in ("+strings.Repeat("name,", 100)+strings.Repeat("x", 60)+strings.Repeat(",y1", 60)+")").Refusal()), 350)
	source := object("v1", "ConfigMap", "", consent{value: "namespaces: a in (" + strings.Repeat("?\n?,", 1000) + ")"})
	sentence := policy.Permissive.CheckSource(source).Sentence()
	assert.Less(t, len(sentence), 450, sentence)
	assert.NotContains(t, sentence, "\n")
}

func TestPermissionForWhatAllPermit(t *testing.T) {
	of := func(value string) policy.Permission {
		permission, _ := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: value})
		return permission
	}
	namespaces := map[string]map[string]string{"shop": {"team": "shop"}, "test": {"stage": "test"}, "both": {"team": "shop", "stage": "test"}, "none": {}}
	for name, test := range map[string]struct {
		one, other string
		permitted  []string
	}{
		"all":               {"true", "true", []string{"both", "none", "shop", "test"}},
		"one limits":        {"namespaces: team=shop", "true", []string{"both", "shop"}},
		"the other limits":  {"true", "namespaces: team=shop", []string{"both", "shop"}},
		"both limit":        {"namespaces: team=shop", "namespaces: stage=test", []string{"both"}},
		"one permits none":  {"namespaces: team=shop", "namespaces:", nil},
		"none permits none": {"namespaces:", "namespaces: team=shop", nil},
	} {
		var permitted []string
		for _, namespace := range []string{"both", "none", "shop", "test"} {
			if of(test.one).And(of(test.other)).Permits(namespaces[namespace]) {
				permitted = append(permitted, namespace)
			}
		}
		assert.Equal(t, test.permitted, permitted, name)
	}
	limited := of("namespaces: team=shop")
	_ = limited.And(of("namespaces: stage=test"))
	assert.True(t, limited.Permits(namespaces["shop"]), "a permission stays as it is")
}
