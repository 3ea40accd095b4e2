package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBadValuesAreRefusedWithTheirName(t *testing.T) {
	tests := map[string]struct{ values, says string }{
		"typo":                        {`sourcemode: permissive`, "additional properties 'sourcemode' not allowed"},
		"typo below":                  {`image: {repo: here}`, "additional properties 'repo' not allowed"},
		"unknown mode":                {`sourceMode: open`, "'allowlist', 'permissive'"},
		"number for a duration":       {`requeueInterval: 30`, "at '/requeueInterval'"},
		"duration without unit":       {`leaderElection: {leaseDuration: "15"}`, "at '/leaderElection/leaseDuration'"},
		"no worker":                   {`maxConcurrentReconciles: 0`, "at '/maxConcurrentReconciles'"},
		"no writer":                   {`selectorWriteConcurrency: 0`, "at '/selectorWriteConcurrency'"},
		"namespaces as text":          {`selectorExcludedNamespaces: kube-system`, "at '/selectorExcludedNamespaces'"},
		"no name of a namespace":      {`selectorExcludedNamespaces: [Kube_System]`, "at '/selectorExcludedNamespaces/0'"},
		"tag in the repository":       {`image: {repository: "here@sha256:00"}`, "at '/image/repository'"},
		"short digest":                {`image: {digest: "sha256:0123"}`, "at '/image/digest'"},
		"argument that is no flag":    {`extraArgs: [enable-http2]`, "at '/extraArgs/0'"},
		"kind instead of resource":    {`supportedKinds: [{apiGroup: apps, resources: [Deployment]}]`, "at '/supportedKinds/0/resources/0'"},
		"subresource":                 {`supportedKinds: [{apiGroup: "", resources: [pods/exec]}]`, "at '/supportedKinds/0/resources/0'"},
		"every group":                 {`supportedKinds: [{apiGroup: "*", resources: ["*"]}]`, "at '/supportedKinds/0/apiGroup'"},
		"kinds without group":         {`supportedKinds: [{resources: [secrets]}]`, "missing property 'apiGroup'"},
		"kinds as names":              {`supportedKinds: [secrets]`, "at '/supportedKinds/0'"},
		"verbs of ours":               {`supportedKinds: [{apiGroup: "", resources: [secrets], verbs: [get]}]`, "additional properties 'verbs' not allowed"},
		"no port":                     {`metrics: {port: 70000}`, "at '/metrics/port'"},
		"replicas without election":   {"replicas: 2\nleaderElection: {enabled: false}", "more than one replica without leaderElection.enabled"},
		"nothing to scrape":           {"serviceMonitor: {enabled: true}\nmetrics: {enabled: false}", "set metrics.enabled, too"},
		"nothing for a PodMonitor":    {"podMonitor: {enabled: true}\nmetrics: {enabled: false}", "podMonitor.enabled: there is nothing to scrape"},
		"hook without role":           {"uninstall: {deleteRules: true}\nrbac: {create: false}", "uninstall.deleteRules: the hook needs a role"},
		"selector among the flags":    {`extraArgs: ["--watch-label-selector=shard=blue"]`, "extraArgs: set watchLabelSelector instead"},
		"two monitors":                {"serviceMonitor: {enabled: true}\npodMonitor: {enabled: true, tokenSecret: prometheus}", "enable one of them"},
		"PodMonitor without token":    {`podMonitor: {enabled: true}`, "podMonitor.tokenSecret: metrics are served to clients with a token only"},
		"certificate for nothing":     {`metrics: {secure: false, certificate: {secretName: metrics}}`, "metrics.certificate: nothing is served with it"},
		"documents without scheme":    {`documentation: docs.example.com`, "at '/documentation'"},
		"documents with a slash":      {`documentation: "https://docs.example.com/"`, "at '/documentation'"},
		"registry with a scheme":      {`image: {registry: "https://registry.example.com"}`, "at '/image/registry'"},
		"group without kind":          {`policies: {sources: {kinds: [apps]}}`, "at '/policies/sources/kinds/0'"},
		"unknown policy":              {`policies: {content: {enabled: true}}`, "additional properties 'content' not allowed"},
		"precedence of the lease":     {`flowControl: {matchingPrecedence: 1}`, "at '/flowControl/matchingPrecedence'"},
		"port of the probes":          {`metrics: {port: 8081}`, "8081 is the port of the probes"},
		"two budgets":                 {`podDisruptionBudget: {enabled: true, minAvailable: 1}`, "set either minAvailable or maxUnavailable"},
		"no budget":                   {`podDisruptionBudget: {enabled: true, maxUnavailable: null}`, "set either minAvailable or maxUnavailable"},
		"annotation that is a number": {`podAnnotations: {example.com/weight: 1}`, "at '/podAnnotations/example.com~1weight'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := template(t, test.values)
			require.Error(t, err)
			assert.ErrorContains(t, err, test.says)
		})
	}
}

func TestAParentChartMayHaveItsSay(t *testing.T) {
	assert.Equal(t, mustTemplate(t), mustTemplate(t, "enabled: true\nglobal: {storageClass: fast}"))
}
