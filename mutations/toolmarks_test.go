package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/mutations"
)

func TestDropToolMarks(t *testing.T) {
	for name, marks := range map[string]map[string]any{
		"Argo CD": {
			"app.kubernetes.io/instance":         "shop",
			"argocd.argoproj.io/instance":        "shop",
			"argocd.argoproj.io/tracking-id":     "shop:/ConfigMap:a/b",
			"argocd.argoproj.io/installation-id": "x",
		},
		"Helm": {
			"meta.helm.sh/release-name":      "shop",
			"meta.helm.sh/release-namespace": "source",
			"app.kubernetes.io/managed-by":   "Helm",
		},
		"Helm's own releases": {"owner": "helm"},
		"Flux": {
			"kustomize.toolkit.fluxcd.io/name":        "apps",
			"kustomize.toolkit.fluxcd.io/namespace":   "flux-system",
			"helm.toolkit.fluxcd.io/name":             "shop",
			"helm.toolkit.fluxcd.io/namespace":        "source",
			"resourceset.fluxcd.controlplane.io/name": "set",
			"fluxcd.controlplane.io/name":             "flux",
			"fluxcd.io/sync-gc-mark":                  "sha256.x",
		},
		"OLM": {
			"olm.owner":                           "op.v1",
			"olm.owner.kind":                      "ClusterServiceVersion",
			"olm.owner.namespace":                 "operators",
			"olm.managed":                         "true",
			"operators.coreos.com/etcd.operators": "",
		},
		"kpt and Config Sync": {
			"config.kubernetes.io/owning-inventory": "id",
			"config.k8s.io/owning-inventory":        "id",
			"cli-utils.sigs.k8s.io/inventory-id":    "id",
			"configsync.gke.io/resource-id":         "id",
			"configmanagement.gke.io/managed":       "enabled",
		},
		"ApplySet":       {"applyset.kubernetes.io/part-of": "id", "applyset.kubernetes.io/id": "id"},
		"kapp":           {"kapp.k14s.io/app": "1", "kapp.k14s.io/association": "v1.a", "kapp.k14s.io/identity": "v1;a"},
		"Rancher, Fleet": {"objectset.rio.cattle.io/hash": "h", "objectset.rio.cattle.io/applied": "H4s"},
		"addon manager":  {"addonmanager.kubernetes.io/mode": "Reconcile"},
		"Kyverno":        {"generate.kyverno.io/policy-name": "p"},
		"secret operators": {
			"reconcile.external-secrets.io/created-by": "h",
			"secrets.hashicorp.com/vso-ownerRefUID":    "u",
			"trust.cert-manager.io/bundle":             "b",
		},
		"other copiers": {
			"reflector.v1.k8s.emberstack.com/reflection-auto-enabled": "true",
			"replicator.v1.mittwald.de/replicate-to":                  ".*",
			"kubed.appscode.com/sync":                                 "",
			"hnc.x-k8s.io/inherited-from":                             "parent",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, field := range []string{"labels", "annotations"} {
				marked := map[string]any{"metadata": map[string]any{"name": "a", field: marks}}
				assert.Equal(t, map[string]any{"metadata": map[string]any{"name": "a"}},
					apply(t, mutations.DropToolMarks, mutations.Input{}, marked))
			}
		})
	}
}

func TestDropToolMarksKeepsWhatOnlyInforms(t *testing.T) {
	run(t, mutations.DropToolMarks, mutations.Input{}, []row{
		{
			name: "labels and annotations without an owner in them",
			before: `
metadata:
  labels:
    app.kubernetes.io/name: shop
    app.kubernetes.io/part-of: shop
    app.kubernetes.io/managed-by: jane
    argocd.argoproj.io/secret-type: cluster
    helm.sh/chart: shop-1.0.0
    owner: team-a
    olm.owners: x
  annotations:
    argocd.argoproj.io/sync-wave: "1"
    helm.sh/resource-policy: keep
    meta.helm.sh/other: x`,
		},
		{
			name: "selectors and templates are content",
			before: `
spec:
  selector: {app.kubernetes.io/instance: shop}
  template: {metadata: {labels: {app.kubernetes.io/instance: shop, app.kubernetes.io/managed-by: Helm}}}`,
		},
	})
}
