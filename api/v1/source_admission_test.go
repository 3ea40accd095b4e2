package v1_test

import (
	"strings"
	"testing"
)

const (
	badGroup      = "spec.source.group: Invalid: group is an API group without its version: write \"apps\" or \"cert-manager.io\", or leave it out for the core group"
	notAGroup     = "spec.source.group: Invalid: no API group has this name: leave group out for the core group of ConfigMap and Secret, and write a version such as \"v1\" into version"
	badVersion    = "spec.source.version: Invalid: version is written without its group, like \"v1\" or \"v1beta1\": leave it out to follow the version that the API server prefers"
	badKind       = "spec.source.kind: Invalid: kind is written in PascalCase and in the singular, like \"ConfigMap\" or \"Secret\", not like \"configmaps\""
	badNamespace  = "spec.source.namespace: Invalid: this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"platform\""
	noSourceName  = "spec.source.name: Required: name the source, or select several by their labels in selector"
	twoSources    = "spec.source.selector: Forbidden: name and selector are mutually exclusive: keep the name of one source, or the selector of several, and remove the other"
	badSourceName = "spec.source.name: Invalid: this cannot be the name of an object: write it without \"/\" and \"%\", and not as \".\" or \"..\"; the namespace goes into namespace"
)

func TestSourceIsCheckedAtAdmission(t *testing.T) {
	bothKinds(t, []admission{
		{name: "core group left out", spec: `source: {kind: ConfigMap, namespace: platform, name: app-config}`},
		{name: "core group written as nothing", spec: `source: {group: "", version: "", kind: ConfigMap, namespace: platform, name: app-config}`},
		{name: "pinned version", spec: `source: {group: apps, version: v1, kind: Deployment, namespace: platform, name: app}`},
		{name: "custom resource", spec: `source: {group: cert-manager.io, version: v1alpha2, kind: Certificate, namespace: platform, name: app}`},
		{name: "version with a date", spec: `source: {group: cache.azure.com, version: v1api20230801, kind: Redis, namespace: platform, name: app}`},
		{name: "name of a bootstrap role", spec: `source: {group: rbac.authorization.k8s.io, kind: Role, namespace: kube-system, name: "system:controller:bootstrap-Signer"}`},
		{name: "names with dots in front", spec: `source: {group: rbac.authorization.k8s.io, kind: Role, namespace: a, name: "..."}`},
		{name: "longest names", spec: `source: {group: ` + strings.Repeat("g", 63) + `.io, kind: K` + strings.Repeat("k", 62) + `, namespace: ` + strings.Repeat("n", 63) + `, name: ` + strings.Repeat("n", 253) + `}`},
		{name: "rule that copies rules", spec: `source: {group: projection.sh, kind: Projection, namespace: default, name: admission}`},

		{name: "group with version", spec: `source: {group: apps/v1, kind: Deployment, namespace: a, name: b}`, want: []string{badGroup}},
		{name: "group in upper case", spec: `source: {group: Apps, kind: Deployment, namespace: a, name: b}`, want: []string{badGroup}},
		{name: "group core", spec: `source: {group: core, kind: Secret, namespace: a, name: b}`, want: []string{notAGroup}},
		{name: "version as group", spec: `source: {group: v1, kind: Secret, namespace: a, name: b}`, want: []string{notAGroup}},
		{name: "group too long", spec: `source: {group: ` + strings.Repeat("g.", 126) + `gg, kind: A, namespace: a, name: b}`, want: []string{"spec.source.group: TooLong: Too long: may not be more than 253 bytes"}},
		{name: "version with group", spec: `source: {version: apps/v1, kind: Deployment, namespace: a, name: b}`, want: []string{badVersion}},
		{name: "version in upper case", spec: `source: {version: V1, kind: Secret, namespace: a, name: b}`, want: []string{badVersion}},
		{name: "version without v", spec: `source: {version: "1", kind: Secret, namespace: a, name: b}`, want: []string{badVersion}},
		{name: "version as a word", spec: `source: {version: latest, kind: Secret, namespace: a, name: b}`, want: []string{badVersion}},
		{name: "version too long", spec: `source: {version: v` + strings.Repeat("1", 63) + `, kind: A, namespace: a, name: b}`, want: []string{"spec.source.version: TooLong: Too long: may not be more than 63 bytes"}},
		{name: "kind in camelCase", spec: `source: {kind: configMap, namespace: a, name: b}`, want: []string{badKind}},
		{name: "resource as kind", spec: `source: {kind: configmaps, namespace: a, name: b}`, want: []string{badKind}},
		{name: "kind with group", spec: `source: {kind: Deployment.apps, namespace: a, name: b}`, want: []string{badKind}},
		{name: "empty kind", spec: `source: {kind: "", namespace: a, name: b}`, want: []string{badKind}},
		{name: "kind too long", spec: `source: {kind: ` + strings.Repeat("K", 64) + `, namespace: a, name: b}`, want: []string{"spec.source.kind: TooLong: Too long: may not be more than 63 bytes"}},
		{name: "namespace in upper case", spec: `source: {kind: Secret, namespace: Platform, name: b}`, want: []string{badNamespace}},
		{name: "namespace with a dot", spec: `source: {kind: Secret, namespace: a.b, name: b}`, want: []string{badNamespace}},
		{name: "empty namespace", spec: `source: {kind: Secret, namespace: "", name: b}`, want: []string{badNamespace}},
		{name: "namespace too long", spec: `source: {kind: Secret, namespace: ` + strings.Repeat("n", 64) + `, name: b}`, want: []string{"spec.source.namespace: TooLong: Too long: may not be more than 63 bytes"}},
		{name: "name with namespace", spec: `source: {kind: Secret, namespace: a, name: a/b}`, want: []string{badSourceName}},
		{name: "name with percent", spec: `source: {kind: Secret, namespace: a, name: "a%2fb"}`, want: []string{badSourceName}},
		{name: "name of one dot", spec: `source: {kind: Secret, namespace: a, name: "."}`, want: []string{badSourceName}},
		{name: "name of two dots", spec: `source: {kind: Secret, namespace: a, name: ".."}`, want: []string{badSourceName}},
		{name: "empty name", spec: `source: {kind: Secret, namespace: a, name: ""}`, want: []string{badSourceName}},
		{name: "name too long", spec: `source: {kind: Secret, namespace: a, name: ` + strings.Repeat("n", 254) + `}`, want: []string{"spec.source.name: TooLong: Too long: may not be more than 253 bytes"}},

		{name: "nothing but the source's key", spec: `source: {}`, want: []string{"spec.source.kind: Required: Required value", "spec.source.namespace: Required: Required value"}},
		{name: "no source", spec: `overlay: {}`, want: []string{"spec.source: Required: Required value"}},
		{name: "selector", spec: `source: {kind: ConfigMap, namespace: a, selector: {matchLabels: {share: "yes"}}}`},
		{name: "selector of all", spec: `source: {kind: ConfigMap, namespace: a, selector: {}}`},
		{name: "selector with expressions", spec: `source: {kind: ConfigMap, namespace: a, selector: {matchExpressions: [{key: share, operator: In, values: ["yes"]}]}}`},
		{name: "neither name nor selector", spec: `source: {kind: ConfigMap, namespace: a}`, want: []string{noSourceName}},
		{name: "name and selector", spec: `source: {kind: ConfigMap, namespace: a, name: b, selector: {}}`, want: []string{twoSources}},
		{name: "key of a label that is none", spec: `source: {kind: ConfigMap, namespace: a, selector: {matchExpressions: [{key: "a b", operator: Exists}]}}`, want: []string{
			"spec.source.selector.matchExpressions[0].key: Invalid: this cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",
		}},

		{name: "several mistakes at once", spec: `source: {group: core, kind: secret, namespace: a, name: a/b}`, want: []string{
			notAGroup, badKind, badSourceName,
		}},
	})
}
