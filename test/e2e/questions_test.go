package e2e_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// secretValue is that of each key of the Secrets in testdata/questions.
const secretValue = "a value that is never printed"

// questions are those that users have on the second day. Each is answered by one command, which prints these texts.
var questions = []struct {
	question, as, command string
	answers               []string
}{
	{"Which rule has made this copy?", "tenant", "why configmap/app-config -n web-1", []string{"ClusterProjection base", "in sync"}},
	{"From which object, and where do I edit it?", "tenant", "why cm/shared-config -n tenant-1", []string{
		"Source:    ConfigMap shared/app-config", "kubectl edit configmap/app-config -n shared",
	}},
	{"Who else has written to it?", "tenant", "why cm/shared-config -n tenant-1", []string{"Also by:   kubectl-annotate"}},
	{"Who copies my Secret, and to where?", "administrator", "why secret/ca -n security", []string{
		"clusterprojection/ca", "tenant-5    projection/ca",
	}},
	{"Which objects may be copied?", "administrator", "consents -A", []string{"secret/ca", "configmap/dash-2", "namespaces: team in (web,api)"}},

	{"Why is there no copy? The namespace has another label.", "administrator", "why cproj/base -n data-1", []string{
		"(the namespace has team=data)", "kubectl label namespace data-1 team=web --overwrite",
	}},
	{"… an object of Helm is there.", "administrator", "why cproj/base -n web-3", []string{"Foreign, DestinationConflict", "a mark of Helm"}},
	{"… a quota refuses it.", "administrator", "why cproj/base -n web-7", []string{"Missing, DestinationCreateFailed", "exceeded quota: no-more"}},
	{"… the namespace is being deleted.", "administrator", "why cproj/base -n web-21", []string{"the namespace web-21 is being deleted"}},
	{"… the namespace is excluded.", "administrator", "why cproj/ca -n kube-system", []string{"the operator excludes the namespace kube-system"}},
	{"… the owner of the source permits other namespaces only.", "administrator", "why cproj/pull -n data-1", []string{
		"permits copies only in namespaces that match team in (api,web)",
	}},
	{"… the owner of the source has not consented.", "administrator", "why cproj/unconsented -n data-1", []string{
		"has not opted in", `set the annotation projection.sh/projectable: "true"`,
	}},
	{"… there is no such namespace.", "administrator", "why cproj/limits -n api-99", []string{"the namespace does not exist"}},
	{"… the kind is not served.", "administrator", "why cproj/widgets -n api-1", []string{`the API server does not serve the group "example.com"`}},
	{"… another rule has its copy there.", "administrator", "why cproj/rival -n web-4", []string{"a copy of the ClusterProjection base"}},
	{"… the rule is suspended.", "administrator", "why cproj/paused -n api-1", []string{"the rule is suspended"}},
	{"… the operator may not read the kind.", "administrator", "why cproj/roles -n api-1", []string{"Reported:", "roles"}},

	{"What would another selector change?", "administrator", "plan cproj/flags --set-selector team=web", []string{"Plan: 20 to create"}},
	{"What will the copy look like?", "administrator", "render projection/app-config -n tenant-1", []string{"name: shared-config", "log-level: info"}},
	{"Who changed the copy last?", "administrator", "events cproj/base", []string{`undid what field manager "kubectl-patch" changed in the copy web-2/app-config`}},
	{"What will a copy of a Secret look like?", "administrator", "render clusterprojection/ca -n web-1", []string{"kind: Secret", "ca.crt"}},
	{"What would change in copies of a Secret?", "administrator", "plan cproj/ca --set-label tier=web --diff", []string{"to update", "tier: web"}},
	{"How far is the fan-out?", "administrator", "status cproj/base", []string{"18/20"}},
	{"Which namespaces fail?", "administrator", "tree cproj/base", []string{"18 copies", "web-3/app-config", "web-7/app-config", "exceeded quota"}},
	{"Which rules are large?", "administrator", "top --sort-by=bytes", []string{"FAILED\n            clusterprojection/ca "}},
	{"Is the operator there, and with which settings?", "tenant", "status -n tenant-1", []string{"allowlist", "kube-system"}},
	{"Are there copies of rules that do not exist?", "administrator", "doctor", []string{"PR301", "ConfigMap data-1/old"}},
	{"What has an opt-out removed?", "administrator", "events cproj/vetoed", []string{"SourceOptedOut", "deleted 15 copies"}},
	{"May the operator copy this kind?", "administrator", "doctor --kinds=deployments.apps", []string{
		"PR104", "deployments.apps", "roles.rbac.authorization.k8s.io", "supportedKinds",
	}},
}

// TestQuestionsOfTheSecondDay asks them on a cluster with more than 60 namespaces, 20 rules and ten troubles, of an operator that may copy ConfigMaps
// and Secrets.
func TestQuestionsOfTheSecondDay(t *testing.T) {
	i := install(t, `{rbac: {publicInfo: true}, supportedKinds: [{apiGroup: "", resources: [configmaps, secrets]}]}`)
	i.pods()
	i.start()
	trouble(t)
	tenant := newPerson(t, "tenant")
	for _, namespace := range []string{"web-1", "tenant-1"} {
		tenant.in(namespace, "view")
	}
	plugin, err := env.Plugin()
	require.NoError(t, err)
	kubeconfigs := map[string]string{"tenant": tenant.kubeconfig, "administrator": cluster.KubeConfig}
	for _, asked := range questions {
		t.Run(asked.question, func(t *testing.T) {
			command := append(strings.Fields(asked.command), "--kubeconfig", kubeconfigs[asked.as], "--cache-dir", t.TempDir())
			answer, err := exec.CommandContext(t.Context(), plugin, command...).CombinedOutput()
			if exit := (&exec.ExitError{}); errors.As(err, &exit) {
				assert.Equal(t, 1, exit.ExitCode(), "it has failed")
			}
			for _, text := range asked.answers {
				assert.Contains(t, string(answer), text, asked.command)
			}
			for _, value := range []string{secretValue, base64.StdEncoding.EncodeToString([]byte(secretValue))} {
				assert.NotContains(t, string(answer), value, "the value of a Secret")
			}
		})
	}
}

// trouble creates namespaces, sources and rules, and what stands in the way of copies, and returns when the operator has reported it.
func trouble(t *testing.T) {
	t.Helper()
	var created strings.Builder
	for team, count := range map[string]int{"web": 20, "api": 15, "data": 15, "tenant": 8} {
		for n := range count {
			fmt.Fprintf(&created, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: %s-%d, labels: {team: %s}}\n", team, n+1, team)
		}
	}
	applied(t, created.String())
	administrator := func(args ...string) {
		t.Helper()
		_, err := cluster.Kubectl(t.Context(), args...)
		require.NoError(t, err)
	}
	administrator("apply", "--filename", "testdata/questions/objects.yaml")
	administrator("delete", "namespace", "web-21", "--wait=false")
	administrator("apply", "--filename", "testdata/questions/rules.yaml")
	for rule, reason := range map[string]string{"base": "DestinationWriteFailed", "vetoed": "Projected", "ca": "Projected", "paused": "Suspended"} {
		says(t, "", "clusterprojection/"+rule, reason)
	}
	ready(t, "tenant-1", "projection/app-config")
	administrator("apply", "--filename", "testdata/questions/rivals.yaml")
	says(t, "", "clusterprojection/rival", "DestinationConflict")
	says(t, "tenant-5", "projection/ca", "DestinationConflict")

	administrator("-n", "shared", "annotate", "configmap", "vetoed", "--overwrite", "projection.sh/projectable=false")
	says(t, "", "clusterprojection/vetoed", "SourceOptedOut")
	administrator("-n", "tenant-1", "annotate", "configmap", "shared-config", "note=mine")
	administrator("-n", "web-2", "patch", "configmap", "app-config", "--type=merge", `--patch={"data":{"log-level":"trace"}}`)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		events, err := cluster.Kubectl(t.Context(), "get", "events", "--all-namespaces")
		assert.NoError(c, err)
		assert.Contains(c, events, "changed in the copy web-2/app-config")
		assert.Contains(c, events, "deleted 15 copies")
	}, timeout, env.Interval)
}
