package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	source = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: platform, annotations: {projection.sh/projectable: "true"}}
data: {color: red}
`
	own = `
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: own, namespace: tenant-a}
spec: {source: {kind: ConfigMap, namespace: platform, name: settings}, destination: {name: own}}
`
	elsewhere = `
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: elsewhere, namespace: tenant-b}
spec: {source: {kind: ConfigMap, namespace: platform, name: settings}}
`
	fanOut = `
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: fan-out}
spec: {source: {kind: ConfigMap, namespace: platform, name: settings}, destination: {namespaceSelector: {matchLabels: {tenant: "yes"}}}}
`
)

// TestPeople has everybody do what their roles are for, beside one installation with default values.
func TestPeople(t *testing.T) {
	i := install(t, "")
	i.pods()
	i.start()
	namespaces(t, "platform", "tenant-a", "tenant-b")
	applied(t, source)

	tenant := newPerson(t, "tenant").in("tenant-a", "edit")
	t.Run("a tenant projects into its own namespace", func(*testing.T) {
		tenant.applies(own)
		tenant.does("--namespace", "tenant-a", "wait", "--for=condition=Ready", "projection/own", "--timeout", timeout.String())
		assert.Equal(t, "red", tenant.does("--namespace", "tenant-a", "get", "configmap", "own", "--output=jsonpath={.data.color}"))
		tenant.mayNotApply(elsewhere, `cannot get resource "projections" in API group "projection.sh" in the namespace "tenant-b"`)
		tenant.mayNotApply(fanOut, `cannot get resource "clusterprojections" in API group "projection.sh" at the cluster scope`)
	})
	t.Run("whoever looks on changes nothing", func(t *testing.T) {
		viewer := newPerson(t, "viewer").in("tenant-a", "view")
		assert.Contains(t, viewer.does("--namespace", "tenant-a", "get", "projections"), "own")
		viewer.mayNotApply(strings.Replace(own, "name: own,", "name: own, labels: {mine: its},", 1), "cannot patch")
	})
	team := newPerson(t, "platform-team").everywhere(release + "-cluster-admin")
	t.Run("a platform team fans out", func(*testing.T) {
		team.applies(fanOut)
		ready(t, "", "clusterprojection/fan-out")
		for _, namespace := range []string{"tenant-a", "tenant-b"} {
			labelled(t, namespace, `tenant: "yes"`)
			i.becomes("configmap", namespace, "settings", "red")
		}
		labelled(t, "tenant-b", "")
		i.gone("tenant-b", "settings")
		i.becomes("configmap", "tenant-a", "settings", "red")
	})
	t.Run("the owner of a source vetoes", func(t *testing.T) {
		owner := newPerson(t, "source-owner").in("platform", "edit")
		owner.does("--namespace", "platform", "annotate", "configmap", "settings", "--overwrite", "projection.sh/projectable=false")
		for _, copied := range []string{"own", "settings"} {
			i.gone("tenant-a", copied)
		}
		assert.Contains(t, says(t, "tenant-a", "projection/own", "SourceOptedOut"), "has opted out")
		says(t, "", "clusterprojection/fan-out", "SourceOptedOut")

		owner.does("--namespace", "platform", "annotate", "configmap", "settings", "--overwrite", "projection.sh/projectable=true")
		i.becomes("configmap", "tenant-a", "own", "red")
		i.becomes("configmap", "tenant-a", "settings", "red")
	})
	t.Run("rules go, and their copies with them", func(*testing.T) {
		tenant.does("--namespace", "tenant-a", "delete", "projection", "own", "--timeout", timeout.String())
		team.does("delete", "clusterprojection", "fan-out", "--timeout", timeout.String())
		i.gone("tenant-a", "own")
		i.gone("tenant-a", "settings")
		assert.Equal(t, "red", i.color("configmap", "platform", "settings"))
	})
}
