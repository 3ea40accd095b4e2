package hostile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestNamespacesArePermittedByWhoeverMayConsent has somebody who may write a source widen the permission of its owner.
func TestNamespacesArePermittedByWhoeverMayConsent(t *testing.T) {
	w := newWorld(t)
	w.mayIn(w.Home, "writing", right("", "configmaps", "get create update patch"))
	writing := fixture.Client(t, w.account("writing"))
	source := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "namespaces: team=shop"}}}`)
	says := func(value string) string {
		return `{"metadata":{"annotations":{"projection.sh/projectable":` + value + `}}}`
	}
	requireDenied(t, func() error {
		return writing.Patch(t.Context(), source.DeepCopy(), rawMerge(says(`"namespaces: team=core"`)), client.DryRunAll)
	}, `you need the verb "consent" on configmaps in the namespace `+w.Home)
	for name, value := range map[string]string{
		"all": `"true"`, "more": `"namespaces: team in (shop,core)"`, "fewer, which no policy can tell": `"namespaces: team=shop,stage=prod"`,
		"a selector that is none": `"namespaces:"`, "all, in permissive mode": `null`, "all, by another value": `"yes"`,
	} {
		require.ErrorContains(t, writing.Patch(t.Context(), source.DeepCopy(), rawMerge(says(value)), client.DryRunAll), `you need the verb "consent"`, name)
	}
	for name, patch := range map[string]string{
		"other content": `{"data":{"a":"4"}}`, "the same": says(`"namespaces: team=shop"`), "opted out": says(`"false"`),
		"a value that permits nothing": says(`"Namespaces: team=core"`),
	} {
		require.NoError(t, writing.Patch(t.Context(), source.DeepCopy(), rawMerge(patch), client.DryRunAll), name)
	}
	open := w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: open, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`)
	require.NoError(t, writing.Patch(t.Context(), open.DeepCopy(), rawMerge(says(`"namespaces: team=core"`)), client.DryRunAll), "some instead of all")
	for _, held := range []string{`"false"`, `null`, `"yes"`} {
		w.Merge(open, says(held))
		require.ErrorContains(t, writing.Patch(t.Context(), open.DeepCopy(), rawMerge(says(`"namespaces: team=core"`)), client.DryRunAll),
			`you need the verb "consent"`, held)
	}
}

// TestTenantCannotEnterThePermissionOfAnOwner has a tenant, who may even label his namespace, ask for a Secret whose owner permits a namespace
// by its name. No mode of the operator makes a difference.
func TestTenantCannotEnterThePermissionOfAnOwner(t *testing.T) {
	for _, mode := range []string{"allowlist", "permissive"} {
		t.Run(mode, func(t *testing.T) {
			c := newSecretWorld(t)
			c.searched = c.operatorWith([]string{"--source-mode=" + mode}, right("", "secrets", copying))
			tenant := fixture.Client(t, c.account("tenant"))
			c.mayIn(c.Away, "tenant", right("", "secrets configmaps", "*"), right(v1.Domain, "projections", "*"), right("", "namespaces", "get patch"))
			source := c.secret("type: Opaque")
			c.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: kubernetes.io/metadata.name=other"}}}`)
			rule := c.project(source, c.served)
			assert.Contains(t, c.says(rule, v1.ReasonDestinationNotPermitted), "permits copies only in namespaces that match kubernetes.io/metadata.name=other")

			own := watch.NewNamespace()
			own.Name = c.Away
			require.NoError(t, tenant.Patch(t.Context(), own, rawMerge(`{"metadata":{"labels":{"kubernetes.io/metadata.name":"other","team":"other"}}}`)))
			require.NoError(t, c.Client.Get(t.Context(), client.ObjectKeyFromObject(own), own))
			assert.Equal(t, map[string]string{"kubernetes.io/metadata.name": c.Away, "team": "other"}, own.Labels, "this label is the API server's")
			c.Merge(source, `{"stringData":{"other":"1"}}`)
			c.settles()
			assert.Nil(t, c.read(source, c.Away, source.GetName()))
			c.says(rule, v1.ReasonDestinationNotPermitted)

			// Who may label a namespace enters where the owner trusts another label.
			c.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: team=other"}}}`)
			c.Ready(rule)
			c.requireSilence()
		})
	}
}

// TestCopyIsNotCopiedOutOfThePermission has a tenant, in permissive mode, name the copy in a namespace that is permitted as the source of a
// rule in one that is not.
func TestCopyIsNotCopiedOutOfThePermission(t *testing.T) {
	c := newSecretWorld(t)
	c.searched = c.operatorWith([]string{"--source-mode=permissive"}, right("", "secrets", copying))
	third := c.Namespace("third", nil)
	source := c.secret("type: Opaque")
	c.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: kubernetes.io/metadata.name=`+c.Away+`"}}}`)
	c.Ready(c.project(source, c.served))
	copied := c.Exists(source, c.Away, source.GetName(), fixture.Anything)
	hop := c.project(copied, c.served, func(rule *v1.Projection) { rule.Namespace = third })
	assert.Contains(t, c.says(hop, v1.ReasonSourceOptedOut), "the owner of Secret "+c.Away+"/token has opted out")
	assert.Nil(t, c.read(source, third, source.GetName()))

	// The annotation of the copy is the operator's, as the rest of the copy.
	c.Merge(copied, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	c.becomes(source, func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationProjectable] == v1.ProjectableFalse
	})
	require.Eventually(t, func() bool { return c.read(source, third, source.GetName()) == nil }, env.Timeout, env.Interval)
	c.says(hop, v1.ReasonSourceOptedOut)
	c.requireSilence()
}

// TestHostileSelectorsOfNamespaces has the owner of a source write what is no selector, or a long one.
func TestHostileSelectorsOfNamespaces(t *testing.T) {
	for name, selector := range map[string]string{
		"nothing":             "",
		"markup":              " <img src=x>",
		"lines":               " team=a\nteam=b\x00",
		"parentheses":         strings.Repeat("(", 200_000),
		"a list that is open": " team in (" + strings.Repeat("value,", 30_000),
		"many requirements":   " a" + strings.Repeat(",a", 100_000),
		"a long value":        " a=" + strings.Repeat("x", 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Object(configMap)
			source.SetAnnotations(map[string]string{v1.AnnotationProjectable: v1.ProjectableNamespaces + selector})
			require.NoError(t, w.Client.Create(t.Context(), source))
			message := w.says(w.project(source), v1.ReasonSourceNotProjectable)
			assert.Less(t, len(message), 500, message)
			assert.NotContains(t, message, "\n")
			assert.Nil(t, w.read(source, w.Away, source.GetName()))
		})
	}
}
