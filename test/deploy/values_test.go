package deploy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// flip gives a value another value than its default.
type flip struct {
	value string // its path
	given string // other values that it depends on
	set   string
	shows string // what is then in the manifest, and is not without it
	hides string // what is then not in the manifest, and is without it
}

// pods makes a PodMonitor.
const pods = `podMonitor: {enabled: true, tokenSecret: prometheus}`

var flips = []flip{
	{value: "nameOverride", set: `nameOverride: mirror`, shows: "name: projection-mirror\n"},
	{value: "fullnameOverride", set: `fullnameOverride: mirror`, shows: "name: mirror\n"},
	{value: "namespaceOverride", set: `namespaceOverride: projection-elsewhere`, shows: "namespace: projection-elsewhere\n", hides: "namespace: projection-system\n"},
	{value: "global.imageRegistry", set: `global: {imageRegistry: mirror.example.com/hub}`, shows: "image: mirror.example.com/hub/operator:v"},
	{
		value: "global.imagePullSecrets", given: `imagePullSecrets: [{name: registry}]`,
		set: `global: {imagePullSecrets: [{name: everywhere}]}`, shows: "imagePullSecrets:\n        - name: everywhere\n        - name: registry",
	},
	{
		value: "documentation", given: `prometheusRule: {enabled: true}`, set: `documentation: "https://docs.example.com/projection"`,
		shows: "runbook_url: https://docs.example.com/projection/observability.md#", hides: "runbook_url: docs/",
	},
	{value: "image.registry", set: `image: {registry: "localhost:5000"}`, shows: "image: localhost:5000/operator:v"},
	{value: "image.repository", set: `image: {repository: example.com/mirror/operator}`, shows: "image: example.com/mirror/operator:v"},
	{value: "image.tag", set: `image: {tag: v9.9.9}`, shows: "image: projection.sh/operator:v9.9.9\n"},
	{value: "image.digest", set: `image: {digest: "sha256:` + strings.Repeat("0", 64) + `"}`, shows: "image: projection.sh/operator@sha256:0000"},
	{value: "image.pullPolicy", set: `image: {pullPolicy: Always}`, shows: "imagePullPolicy: Always"},
	{value: "imagePullSecrets", set: `imagePullSecrets: [{name: registry}]`, shows: "imagePullSecrets:\n        - name: registry"},
	{value: "replicas", set: `replicas: 2`, shows: "replicas: 2"},
	{value: "strategy", set: `strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 100%}}`, shows: "maxSurge: 100%", hides: "maxUnavailable: 0"},
	{value: "revisionHistoryLimit", set: `revisionHistoryLimit: 3`, shows: "revisionHistoryLimit: 3"},
	{value: "resources", set: `resources: {requests: {cpu: "2"}}`, shows: `cpu: "2"`},
	{value: "defaultServiceAccount", set: `defaultServiceAccount: tenant`, shows: "--default-service-account=tenant"},
	{
		value: "defaultServiceAccount", given: `impersonation: {serviceAccounts: []}`, set: `defaultServiceAccount: tenant`,
		shows: "resources: [serviceaccounts]\n    resourceNames: [\"tenant\"]\n    verbs: [impersonate]",
	},
	{value: "requireServiceAccount", set: `requireServiceAccount: true`, shows: "--require-service-account"},
	{value: "impersonation.serviceAccounts", set: `impersonation: {serviceAccounts: [a, b]}`, shows: `resourceNames: ["a","b"]`, hides: "projection-writer"},
	{value: "impersonation.serviceAccounts", set: `impersonation: {serviceAccounts: []}`, hides: "verbs: [impersonate]"},
	{value: "impersonation.serviceAccounts", set: `impersonation: {serviceAccounts: ["*"]}`, shows: "resources: [serviceaccounts]\n    verbs: [impersonate]"},
	{value: "sourceMode", set: `sourceMode: permissive`, shows: "--source-mode=permissive"},
	{value: "requeueInterval", set: `requeueInterval: 1m30s`, shows: "--requeue-interval=1m30s"},
	{value: "maxConcurrentReconciles", set: `maxConcurrentReconciles: 3`, shows: "--max-concurrent-reconciles=3"},
	{value: "selectorWriteConcurrency", set: `selectorWriteConcurrency: 4`, shows: "--selector-write-concurrency=4"},
	{value: "selectorExcludedNamespaces", set: `selectorExcludedNamespaces: [one, two]`, shows: "--selector-excluded-namespaces=one,two\n"},
	{value: "selectorExcludedNamespaces", set: `selectorExcludedNamespaces: []`, shows: "--selector-excluded-namespaces=\n"},
	{value: "watchLabelSelector", set: `watchLabelSelector: "shard in (a,b), !old"`, shows: `"--watch-label-selector=shard in (a,b), !old"`},
	{value: "remoteClusters.enabled", set: `remoteClusters: {enabled: true}`, shows: "- --remote-clusters\n"},
	{
		value: "remoteClusters.hubID", set: `remoteClusters: {enabled: true, hubID: 0c1d2e3f-41aa-4a5c-9d0e-7b1f2a3c4d5e}`,
		shows: "- --hub-id=0c1d2e3f-41aa-4a5c-9d0e-7b1f2a3c4d5e\n",
	},
	{value: "remoteClusters.enabled", set: `remoteClusters: {enabled: true}`, shows: "resources: [remoteclusters/status]"},
	{value: "remoteClusters.enabled", set: `remoteClusters: {enabled: true}`, shows: "resources: [secrets]\n    verbs: [get, list, watch]"},
	{value: "leaderElection.enabled", set: `leaderElection: {enabled: false}`, shows: "--leader-elect=false", hides: "leases"},
	{value: "leaderElection.leaseDuration", set: `leaderElection: {leaseDuration: 1m}`, shows: "--leader-election-lease-duration=1m"},
	{value: "logging.level", set: `logging: {level: 2}`, shows: "--zap-log-level=2"},
	{value: "logging.format", set: `logging: {format: console}`, shows: "--zap-encoder=console"},
	{value: "extraArgs", set: `extraArgs: ["--enable-http2"]`, shows: `- "--enable-http2"`},
	{
		value: "supportedKinds", set: `supportedKinds: [{apiGroup: "", resources: [configmaps, secrets]}, {apiGroup: example.com, resources: ["*"]}]`,
		shows: `- apiGroups: ["example.com"]`, hides: `apiGroups: ["*"]`,
	},
	{value: "supportedKinds", set: `supportedKinds: []`, hides: `"*"`},
	{value: "rbac.create", set: `rbac: {create: false}`, hides: "apiVersion: rbac.authorization.k8s.io"},
	{value: "rbac.publicInfo", set: `rbac: {publicInfo: true}`, shows: "name: system:authenticated"},
	{value: "rbac.aggregate", set: `rbac: {aggregate: false}`, hides: "aggregate-to-"},
	{value: "rbac.aggregateClusterView", given: `rbac: {aggregate: false}`, set: `rbac: {aggregateClusterView: true}`, shows: "aggregate-to-view"},
	{
		value: "serviceAccount.create", given: `test: {enabled: false}`, set: `serviceAccount: {create: false}`,
		shows: "serviceAccountName: default", hides: "kind: ServiceAccount\nmetadata:",
	},
	{value: "serviceAccount.name", set: `serviceAccount: {name: robot}`, shows: "serviceAccountName: robot"},
	{value: "serviceAccount.annotations", set: `serviceAccount: {annotations: {example.com/role: writer}}`, shows: "example.com/role: writer"},
	{value: "serviceAccount.labels", set: `serviceAccount: {labels: {team: platform}}`, shows: "team: platform"},
	{value: "serviceAccount.automount", set: `serviceAccount: {automount: false}`, shows: "\nautomountServiceAccountToken: false\n"},
	{value: "crds.install", set: `crds: {install: false}`, hides: "CustomResourceDefinition"},
	{value: "crds.keep", set: `crds: {keep: false}`, hides: "helm.sh/resource-policy: keep"},
	{value: "uninstall.deleteRules", set: `uninstall: {deleteRules: true}`, shows: "helm.sh/hook: pre-delete"},
	{value: "uninstall.timeout", given: `uninstall: {deleteRules: true}`, set: `uninstall: {timeout: 10m}`, shows: "--timeout=10m"},
	{value: "test.enabled", set: `test: {enabled: false}`, hides: "helm.sh/hook: test"},
	{value: "test.timeout", set: `test: {timeout: 90s}`, shows: "--timeout=90s"},
	{value: "metrics.enabled", set: `metrics: {enabled: false}`, shows: "--metrics-bind-address=0\n", hides: "kind: Service\n"},
	{value: "metrics.secure", set: `metrics: {secure: false}`, shows: "--metrics-secure=false", hides: "tokenreviews"},
	{value: "metrics.port", set: `metrics: {port: 9090}`, shows: "--metrics-bind-address=:9090"},
	{
		value: "metrics.certificate.secretName", given: `serviceMonitor: {enabled: true}`, set: `metrics: {certificate: {secretName: metrics}}`,
		shows: "ca:\n          secret:\n            name: metrics", hides: "insecureSkipVerify",
	},
	{
		value: "metrics.certificate.certManager.enabled", set: `metrics: {certificate: {certManager: {enabled: true}}}`,
		shows: "secretName: projection-metrics\n",
	},
	{
		value: "metrics.certificate.certManager.issuerRef", given: `metrics: {certificate: {certManager: {enabled: true}}}`,
		set: `metrics: {certificate: {certManager: {issuerRef: {kind: ClusterIssuer, name: internal}}}}`, shows: "kind: ClusterIssuer", hides: "selfSigned",
	},
	{value: "serviceMonitor.enabled", set: `serviceMonitor: {enabled: true}`, shows: "kind: ServiceMonitor"},
	{
		value: "serviceMonitor.namespace", given: `serviceMonitor: {enabled: true}`, set: `serviceMonitor: {namespace: monitoring}`,
		shows: "namespaceSelector:\n    matchNames: [projection-system]",
	},
	{value: "serviceMonitor.interval", given: `serviceMonitor: {enabled: true}`, set: `serviceMonitor: {interval: 15s}`, shows: "interval: 15s"},
	{value: "serviceMonitor.scrapeTimeout", given: `serviceMonitor: {enabled: true}`, set: `serviceMonitor: {scrapeTimeout: 5s}`, shows: "scrapeTimeout: 5s"},
	{value: "serviceMonitor.labels", given: `serviceMonitor: {enabled: true}`, set: `serviceMonitor: {labels: {release: prometheus}}`, shows: "release: prometheus"},
	{value: "serviceMonitor.annotations", given: `serviceMonitor: {enabled: true}`, set: `serviceMonitor: {annotations: {a: b}}`, shows: "    a: b"},
	{value: "serviceMonitor.honorLabels", given: `serviceMonitor: {enabled: true}`, set: `serviceMonitor: {honorLabels: true}`, shows: "honorLabels: true"},
	{
		value: "serviceMonitor.relabelings", given: `serviceMonitor: {enabled: true}`,
		set: `serviceMonitor: {relabelings: [{targetLabel: cluster, replacement: blue}]}`, shows: "      relabelings:\n        - replacement: blue",
	},
	{
		value: "serviceMonitor.metricRelabelings", given: `serviceMonitor: {enabled: true}`,
		set: `serviceMonitor: {metricRelabelings: [{action: drop, regex: go_.*}]}`, shows: "      metricRelabelings:\n        - action: drop",
	},
	{value: "podMonitor.enabled", set: `podMonitor: {enabled: true, tokenSecret: prometheus}`, shows: "kind: PodMonitor"},
	{value: "podMonitor.tokenSecret", given: pods, set: `podMonitor: {tokenSecret: scraper}`, shows: "name: scraper\n          key: token"},
	{value: "podMonitor.namespace", given: pods, set: `podMonitor: {namespace: monitoring}`, shows: "namespaceSelector:\n    matchNames: [projection-system]"},
	{value: "podMonitor.interval", given: pods, set: `podMonitor: {interval: 15s}`, shows: "interval: 15s"},
	{value: "podMonitor.scrapeTimeout", given: pods, set: `podMonitor: {scrapeTimeout: 5s}`, shows: "scrapeTimeout: 5s"},
	{value: "podMonitor.labels", given: pods, set: `podMonitor: {labels: {release: prometheus}}`, shows: "release: prometheus"},
	{value: "podMonitor.annotations", given: pods, set: `podMonitor: {annotations: {a: b}}`, shows: "    a: b"},
	{value: "podMonitor.honorLabels", given: pods, set: `podMonitor: {honorLabels: true}`, shows: "honorLabels: true"},
	{value: "podMonitor.relabelings", given: pods, set: `podMonitor: {relabelings: [{targetLabel: cluster, replacement: blue}]}`, shows: "replacement: blue"},
	{value: "podMonitor.metricRelabelings", given: pods, set: `podMonitor: {metricRelabelings: [{action: drop, regex: go_.*}]}`, shows: "action: drop"},
	{value: "prometheusRule.enabled", set: `prometheusRule: {enabled: true}`, shows: "kind: PrometheusRule"},
	{value: "prometheusRule.namespace", given: `prometheusRule: {enabled: true}`, set: `prometheusRule: {namespace: monitoring}`, shows: "namespace: monitoring"},
	{
		value: "prometheusRule.disabled", given: `prometheusRule: {enabled: true}`,
		set: `prometheusRule: {disabled: [ProjectionConflicts]}`, hides: "alert: ProjectionConflicts",
	},
	{value: "prometheusRule.annotations", given: `prometheusRule: {enabled: true}`, set: `prometheusRule: {annotations: {a: b}}`, shows: "    a: b"},
	{value: "prometheusRule.labels", given: `prometheusRule: {enabled: true}`, set: `prometheusRule: {labels: {release: prometheus}}`, shows: "release: prometheus"},
	{value: "grafanaDashboard.enabled", set: `grafanaDashboard: {enabled: true}`, shows: "projection.json: |"},
	{value: "grafanaDashboard.namespace", given: `grafanaDashboard: {enabled: true}`, set: `grafanaDashboard: {namespace: monitoring}`, shows: "namespace: monitoring"},
	{value: "grafanaDashboard.labels", given: `grafanaDashboard: {enabled: true}`, set: `grafanaDashboard: {labels: {board: "yes"}}`, shows: `board: "yes"`},
	{
		value: "grafanaDashboard.annotations", given: `grafanaDashboard: {enabled: true}`,
		set: `grafanaDashboard: {annotations: {grafana_folder: Platform}}`, shows: "grafana_folder: Platform",
	},
	{value: "networkPolicy.enabled", set: `networkPolicy: {enabled: true}`, shows: "kind: NetworkPolicy"},
	{
		value: "networkPolicy.metricsFrom", given: `networkPolicy: {enabled: true}`,
		set: `networkPolicy: {metricsFrom: [{namespaceSelector: {matchLabels: {team: watchers}}}]}`, shows: "team: watchers",
	},
	{
		value: "networkPolicy.egress", given: `networkPolicy: {enabled: true}`,
		set: `networkPolicy: {egress: [{to: [{ipBlock: {cidr: 10.0.0.1/32}}], ports: [{port: 6443}]}]}`, shows: "cidr: 10.0.0.1/32", hides: "egress:\n    - {}",
	},
	{value: "flowControl.enabled", set: `flowControl: {enabled: true}`, shows: "kind: PriorityLevelConfiguration"},
	{
		value: "flowControl.nominalConcurrencyShares", given: `flowControl: {enabled: true}`,
		set: `flowControl: {nominalConcurrencyShares: 100}`, shows: "nominalConcurrencyShares: 100",
	},
	{value: "flowControl.lendablePercent", given: `flowControl: {enabled: true}`, set: `flowControl: {lendablePercent: 10}`, shows: "lendablePercent: 10"},
	{
		value: "flowControl.matchingPrecedence", given: `flowControl: {enabled: true}`,
		set: `flowControl: {matchingPrecedence: 500}`, shows: "matchingPrecedence: 499", hides: "matchingPrecedence: 1000",
	},
	{value: "policies.consent.enabled", set: `policies: {consent: {enabled: true}}`, shows: "name: consent.projection.sh"},
	{value: "policies.ownership.enabled", set: `policies: {ownership: {enabled: true}}`, shows: "name: ownership.projection.sh"},
	{value: "policies.accounts.enabled", set: `policies: {accounts: {enabled: true}}`, shows: "name: accounts.projection.sh"},
	{value: "policies.adoption.enabled", set: `policies: {adoption: {enabled: true}}`, shows: "name: adoption.projection.sh"},
	{value: "policies.authors.enabled", set: `policies: {authors: {enabled: true}}`, shows: "name: projection-resources\n  namespace: projection-system"},
	{
		value: "policies.authors.resources", given: `policies: {authors: {enabled: true}}`,
		set: `policies: {authors: {resources: {Issuer.cert-manager.io: issuers}}}`, shows: "  Issuer.cert-manager.io: issuers",
	},
	{value: "policies.clusters.enabled", set: `policies: {clusters: {enabled: true}}`, shows: "name: clusters.projection.sh"},
	{value: "policies.copies.enabled", set: `policies: {copies: {enabled: true}}`, shows: "name: copies.projection.sh"},
	{
		value: "policies.copies.namespaceSelector", given: `policies: {copies: {enabled: true}}`,
		set: `policies: {copies: {namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}}}`, shows: "- key: team\n        operator: Exists", hides: "projection.sh/copies: read-only",
	},
	{value: "policies.selectors.enabled", set: `policies: {selectors: {enabled: true}}`, shows: "name: selectors.projection.sh"},
	{value: "policies.sources.enabled", set: `policies: {sources: {enabled: true}}`, shows: "name: projection-sources\n  namespace: projection-system"},
	{
		value: "policies.sources.kinds", given: `policies: {sources: {enabled: true}}`,
		set: `policies: {sources: {kinds: [Secret, Issuer.cert-manager.io]}}`, shows: "kinds: Secret,Issuer.cert-manager.io",
	},
	{
		value: "policies.sources.namespaces", given: `policies: {sources: {enabled: true}}`,
		set: `policies: {sources: {namespaces: [platform, shared]}}`, shows: "namespaces: platform,shared",
	},
	{value: "podDisruptionBudget.enabled", set: `podDisruptionBudget: {enabled: true}`, shows: "maxUnavailable: 1"},
	{
		value: "podDisruptionBudget.maxUnavailable", given: `podDisruptionBudget: {enabled: true}`,
		set: `podDisruptionBudget: {maxUnavailable: 50%}`, shows: "maxUnavailable: 50%",
	},
	{
		value: "podDisruptionBudget.minAvailable", given: `podDisruptionBudget: {enabled: true}`,
		set: `podDisruptionBudget: {minAvailable: 1, maxUnavailable: null}`, shows: "minAvailable: 1", hides: "maxUnavailable: 1",
	},
	{value: "nodeSelector", set: `nodeSelector: {pool: system}`, shows: "pool: system"},
	{value: "tolerations", set: `tolerations: [{key: dedicated, operator: Exists}]`, shows: "key: dedicated"},
	{
		value: "affinity", shows: "topologyKey: kubernetes.io/hostname",
		set: `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {}}]}}`,
	},
	{
		value: "topologySpreadConstraints", shows: "app.kubernetes.io/name: projection\n          maxSkew: 1",
		set: `topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}]`,
	},
	{value: "priorityClassName", set: `priorityClassName: system-cluster-critical`, shows: "priorityClassName: system-cluster-critical"},
	{value: "extraEnv", set: `extraEnv: [{name: HTTPS_PROXY, value: "http://proxy:3128"}]`, shows: "name: HTTPS_PROXY"},
	{value: "extraVolumes", set: `extraVolumes: [{name: ca, configMap: {name: ca}}]`, shows: "volumes:\n        - configMap:"},
	{
		value: "extraVolumeMounts", given: `extraVolumes: [{name: ca, configMap: {name: ca}}]`,
		set: `extraVolumeMounts: [{name: ca, mountPath: /etc/ssl/extra}]`, shows: "mountPath: /etc/ssl/extra",
	},
	{value: "initContainers", set: `initContainers: [{name: wait, image: "busybox:1", command: ["true"]}]`, shows: "initContainers:\n        - command:"},
	{value: "extraContainers", set: `extraContainers: [{name: proxy, image: "envoy:1"}]`, shows: "- image: envoy:1\n          name: proxy"},
	{value: "livenessProbe", set: `livenessProbe: {failureThreshold: 7}`, shows: "failureThreshold: 7\n            initialDelaySeconds: 15"},
	{value: "readinessProbe", set: `readinessProbe: {periodSeconds: 7}`, shows: "periodSeconds: 7"},
	{value: "podSecurityContext", set: `podSecurityContext: {fsGroup: 2000}`, shows: "fsGroup: 2000\n        runAsNonRoot: true"},
	{value: "securityContext", set: `securityContext: {runAsUser: 2000}`, shows: "readOnlyRootFilesystem: true\n            runAsUser: 2000"},
	{value: "hostUsers", set: `hostUsers: false`, shows: "hostUsers: false"},
	{value: "runtimeClassName", set: `runtimeClassName: gvisor`, shows: "runtimeClassName: gvisor"},
	{value: "dnsPolicy", set: `dnsPolicy: Default`, shows: "dnsPolicy: Default"},
	{value: "dnsConfig", set: `dnsConfig: {options: [{name: ndots, value: "1"}]}`, shows: "name: ndots"},
	{
		value: "extraObjects", shows: "name: 'projection-extra'",
		set: `extraObjects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ include "projection.fullname" . }}-extra', namespace: projection-system}}]`,
	},
	{value: "deploymentAnnotations", set: `deploymentAnnotations: {reloader.stakater.com/auto: "true"}`, shows: `reloader.stakater.com/auto: "true"`},
	{value: "podAnnotations", set: `podAnnotations: {example.com/inject: "false"}`, shows: `example.com/inject: "false"`},
	{value: "podLabels", set: `podLabels: {team: platform}`, shows: "        team: platform"},
	{value: "commonLabels", set: `commonLabels: {team: platform}`, shows: "    team: platform"},
}

// The objects take the place of those of an installation that has the defaults, as in an upgrade.
func TestEveryValueMakesObjectsThatTheAPIServerAccepts(t *testing.T) {
	accepts(t, mustTemplate(t))
	install(t, "")
	createRuntimeClass(t, "gvisor")
	without := map[string]string{}
	for _, f := range flips {
		without[f.given] = ""
	}
	for given := range without {
		without[given] = mustTemplate(t, given)
	}
	for _, f := range flips {
		t.Run(f.value, func(t *testing.T) {
			t.Parallel()
			before, after := without[f.given], mustTemplate(t, f.given, f.set)
			if f.shows != "" {
				assert.NotContains(t, before, f.shows)
				assert.Contains(t, after, f.shows)
			}
			if f.hides != "" {
				assert.Contains(t, before, f.hides)
				assert.NotContains(t, after, f.hides)
			}
			assert.NotEqual(t, before, after)
			accepts(t, after)
		})
	}
}

func TestEveryValueIsFlipped(t *testing.T) {
	flipped := map[string]bool{}
	for _, f := range flips {
		var set map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(f.set), &set))
		_, found, err := unstructured.NestedFieldNoCopy(set, strings.Split(f.value, ".")...)
		require.NoError(t, err)
		assert.Truef(t, found, "the entry for %s sets something else: %s", f.value, f.set)
		flipped[f.value] = true
	}
	for _, value := range documented(t) {
		assert.Truef(t, flipped[value.path], "no entry flips %s", value.path)
	}
}

func TestSpreadConstraintKeepsItsOwnSelector(t *testing.T) {
	manifest := mustTemplate(t, `topologySpreadConstraints: [{topologyKey: zone, labelSelector: {matchLabels: {team: platform}}}]`)
	assert.Contains(t, manifest, "          labelSelector:\n            matchLabels:\n              team: platform\n          topologyKey: zone")
}
