package v1_test

import (
	"strings"
	"testing"

	v1 "projection.sh/operator/api/v1"
)

const badAccount = "this cannot be the name of a service account: write it without its namespace and the prefix \"system:serviceaccount:\", like \"promoter\""

func TestServiceAccountOfAProjectionIsCheckedAtAdmission(t *testing.T) {
	const name = "spec.serviceAccountName: Invalid: " + badAccount
	admit(t, v1.KindProjection, named("serviceAccountName", []admission{
		{name: "a name", spec: `promoter`},
		{name: "with dots", spec: `promoter.v2`},
		{name: "longest", spec: strings.Repeat("a.", 126) + "a"},

		{name: "empty", spec: `""`, want: []string{name}},
		{name: "of another namespace", spec: `kube-system/admin`, want: []string{name}},
		{name: "as kubectl takes it", spec: `"kube-system:admin"`, want: []string{name}},
		{name: "as the API server knows it", spec: `"system:serviceaccount:kube-system:admin"`, want: []string{name}},
		{name: "upper case", spec: `Promoter`, want: []string{name}},
		{name: "header", spec: `"a\r\nImpersonate-Group: system:masters"`, want: []string{name}},
		{name: "wildcard", spec: `"*"`, want: []string{name}},
		{name: "too long", spec: strings.Repeat("a", 254), want: []string{"spec.serviceAccountName: TooLong: Too long: may not be more than 253 bytes"}},
	}))
	admit(t, v1.KindProjection, named("serviceAccount", []admission{
		{name: "of another namespace, as a ClusterProjection names it", spec: `{namespace: kube-system, name: admin}`, want: []string{
			"spec.serviceAccount: Forbidden: a Projection uses a service account in its namespace: write serviceAccountName instead, such as serviceAccountName: promoter",
		}},
	}))
}

func TestServiceAccountOfAClusterProjectionIsCheckedAtAdmission(t *testing.T) {
	const account = "spec.serviceAccount"
	admit(t, v1.KindClusterProjection, named("serviceAccount", []admission{
		{name: "both", spec: `{namespace: platform, name: promoter}`},

		{name: "nothing", spec: `{}`, want: []string{account + ".namespace: Required: Required value", account + ".name: Required: Required value"}},
		{name: "no namespace", spec: `{name: promoter}`, want: []string{account + ".namespace: Required: Required value"}},
		{name: "empty name", spec: `{namespace: platform, name: ""}`, want: []string{account + ".name: Invalid: " + badAccount}},
		{name: "two in one", spec: `{namespace: platform, name: "kube-system:admin"}`, want: []string{account + ".name: Invalid: " + badAccount}},
		{name: "empty namespace", spec: `{namespace: "", name: promoter}`, want: []string{
			account + ".namespace: Invalid: this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"tenant-a\"",
		}},
	}))
	admit(t, v1.KindClusterProjection, named("serviceAccountName", []admission{
		{name: "as a Projection names it", spec: `promoter`, want: []string{
			"spec.serviceAccountName: Forbidden: a ClusterProjection has no namespace: write serviceAccount instead, such as serviceAccount: {namespace: platform, name: promoter}",
		}},
	}))
}

// named puts each value into the field of a valid rule.
func named(field string, table []admission) []admission {
	for i := range table {
		table[i].spec = anySource + field + ": " + table[i].spec
	}
	return table
}
