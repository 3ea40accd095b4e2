package hostile_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"

	v1 "projection.sh/operator/api/v1"
)

// adopts has a Projection adopt in the name of a service account.
func adopts(onConflict v1.ConflictPolicy, account string) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		rule.Spec.Policy.OnConflict, rule.Spec.ServiceAccountName = onConflict, account
	}
}

// TestTenantTakesNoObjectOver has a tenant who may create Projections in his namespace, and wants an object there that is not his. The operator
// may write everything.
func TestTenantTakesNoObjectOver(t *testing.T) {
	writing := right("", "configmaps", "get create patch delete")
	tests := map[string]struct {
		account string
		rights  []rbacv1.PolicyRule
		marks   string
		reason  string
		message string
	}{
		"without an account":             {"", nil, `{}`, v1.ReasonRuleInvalid, "a Projection needs a service account"},
		"an account that may not read":   {"nobody", []rbacv1.PolicyRule{right("", "configmaps", "create patch")}, `{}`, v1.ReasonDestinationFetchFailed, `cannot get resource "configmaps"`},
		"an account that may not patch":  {"nobody", []rbacv1.PolicyRule{right("", "configmaps", "get create")}, `{}`, v1.ReasonDestinationCreateFailed, `cannot patch resource "configmaps"`},
		"an account that may not delete": {"writer", []rbacv1.PolicyRule{right("", "configmaps", "get create patch")}, `{}`, v1.ReasonDestinationCreateFailed, `cannot delete resource "configmaps"`},
		"another rule's":                 {"writer", []rbacv1.PolicyRule{writing}, `annotations: {projection.sh/owned-by-cluster-projection: base}`, v1.ReasonDestinationConflict, "belongs to the ClusterProjection base"},
		"another cluster's":              {"writer", []rbacv1.PolicyRule{writing}, `annotations: {projection.sh/owned-by-projection: there/rule}`, v1.ReasonDestinationConflict, "has the annotation projection.sh/owned-by-projection"},
		"a tool's":                       {"writer", []rbacv1.PolicyRule{writing}, `labels: {app.kubernetes.io/managed-by: Helm}`, v1.ReasonDestinationConflict, "has a mark of Helm"},
	}
	for name, test := range tests {
		policies := []v1.ConflictPolicy{v1.ConflictAdoptIdentical, v1.ConflictAdopt}
		if test.reason == v1.ReasonDestinationFetchFailed {
			policies = policies[:1] // the other one reads nothing but metadata
		}
		for _, onConflict := range policies {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				w := newWorld(t)
				source := w.Create(configMap)
				marks := test.marks
				if marks == `{}` {
					marks = `labels: {}`
				}
				theirs := w.Create(`{apiVersion: v1, kind: ConfigMap, data: {color: red}, metadata: {name: settings, namespace: $AWAY, ` + marks + `}}`)
				if test.account != "" {
					w.grants(test.account, w.Home, right("", "configmaps", "get"))
					w.grants(test.account, w.Away, test.rights...)
				}
				rule := w.project(source, adopts(onConflict, test.account))
				said := w.says(rule, test.reason)
				assert.Contains(t, said, test.message)
				w.settles()
				w.unchanged(theirs)
				w.Delete(rule)
				w.Gone(rule)
				w.unchanged(theirs)
			})
		}
	}
}

// TestSecretIsNotQuotedWhenItDiffersFromACopy: neither a value nor the name of a key is.
func TestSecretIsNotQuotedWhenItDiffersFromACopy(t *testing.T) {
	c := newSecretWorld(t)
	source := c.secret("type: Opaque")
	theirs := c.Create(`{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: $AWAY}, data: {` + c.canary + `: ` +
		base64.StdEncoding.EncodeToString([]byte(c.canary)) + `}}`)
	c.grants("writer", c.Home, right("", "secrets", "get"))
	c.grants("writer", c.Away, right("", "secrets", "get create patch delete"))
	said := c.says(c.project(source, adopts(v1.ConflictAdoptIdentical, "writer")), v1.ReasonDestinationConflict)
	assert.Contains(t, said, "says something else: data; ")
	c.requireSilence()
	c.unchanged(theirs)
}
