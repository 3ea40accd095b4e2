package mutations

// toolMarkValues are marks only with one value.
var toolMarkValues = map[string]string{
	// Helm adopts and overwrites what says so and names a release.
	"app.kubernetes.io/managed-by": "Helm",
	// Helm lists Secrets and ConfigMaps with this label as releases of their namespace.
	"owner": "helm",
}

// toolMarks are marks with any value.
var toolMarks = map[string]bool{
	// Argo CD: in label tracking, whatever bears the instance label belongs to that Application, wherever it is.
	// The first is the label that it uses unless told otherwise.
	"app.kubernetes.io/instance":         true,
	"argocd.argoproj.io/instance":        true,
	"argocd.argoproj.io/tracking-id":     true,
	"argocd.argoproj.io/installation-id": true,

	// Operator Lifecycle Manager collects what is labelled with an owner that is not there.
	"olm.owner":           true,
	"olm.owner.kind":      true,
	"olm.owner.namespace": true,
	"olm.managed":         true,
	"olm.copiedFrom":      true,

	// cli-utils, kpt, Config Sync: the inventory that an object was applied with, and the inventory itself.
	"config.kubernetes.io/owning-inventory":   true,
	"config.k8s.io/owning-inventory":          true,
	"cli-utils.sigs.k8s.io/inventory-id":      true,
	"configmanagement.gke.io/managed":         true,
	"configmanagement.gke.io/token":           true,
	"configmanagement.gke.io/cluster-name":    true,
	"configmanagement.gke.io/declared-fields": true,

	// kube-addon-manager prunes, in all namespaces, what bears its label and is not in its directory.
	"addonmanager.kubernetes.io/mode": true,

	// Flux 1 collects what bears its mark of another sync.
	"fluxcd.io/sync-gc-mark":  true,
	"fluxcd.io/sync-checksum": true,

	// trust-manager cleans targets that it finds by this label.
	"trust.cert-manager.io/bundle": true,
}

// toolMarkPrefixes begin the keys of tools whose every key concerns the objects that they manage.
var toolMarkPrefixes = []string{
	// Helm: the release that an object was installed by.
	"meta.helm.sh/release-",

	// Flux: the Kustomization, HelmRelease, ResourceSet or FluxInstance that applied an object, and how.
	"kustomize.toolkit.fluxcd.io/",
	"helm.toolkit.fluxcd.io/",
	"resourceset.fluxcd.controlplane.io/",
	"fluxcd.controlplane.io/",

	// Operator Lifecycle Manager: the components of an Operator are found by operators.coreos.com/<package>.<namespace>.
	"operators.coreos.com/",

	// kubectl apply --prune --applyset: members by label, and the parent itself.
	"applyset.kubernetes.io/",

	// kapp finds the resources of an app by label in the whole cluster, and deletes those that are not declared.
	"kapp.k14s.io/",

	// Rancher, Fleet, k3s and others built on wrangler list their objects by the hash of their owner.
	"objectset.rio.cattle.io/",

	// Config Sync: the declared identity of an object.
	"configsync.gke.io/",

	// Kyverno lists what a generate rule made by label, and deletes it with the trigger or rule.
	"generate.kyverno.io/",

	// External Secrets and Vault Secrets Operator delete orphans that they find by label.
	"reconcile.external-secrets.io/",
	"secrets.hashicorp.com/",

	// Tools that copy objects themselves: their marks make a copy a source of more copies, or a copy of theirs that
	// they overwrite or delete.
	"reflector.v1.k8s.emberstack.com/",
	"replicator.v1.mittwald.de/",
	"kubed.appscode.com/",
	"hnc.x-k8s.io/",
}
