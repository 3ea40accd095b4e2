package mutations

// reflector is the name of a tool.
const reflector = "reflector"

// Tools that have several marks.
var (
	argoCD           = ToolMark{Tool: "Argo CD"}
	configSync       = ToolMark{Tool: "Config Sync"}
	flux             = ToolMark{Tool: "Flux"}
	helm             = ToolMark{Tool: "Helm"}
	applierInventory = ToolMark{Tool: "kpt or Config Sync"}
	olm              = ToolMark{Tool: "Operator Lifecycle Manager"}
)

// toolMarkValues are marks only with one value.
var toolMarkValues = map[string]struct {
	value string
	mark  ToolMark
}{
	// Helm adopts and overwrites what says so and names a release.
	"app.kubernetes.io/managed-by": {"Helm", helm},
	// Helm lists Secrets and ConfigMaps with this label as releases of their namespace.
	"owner": {"helm", helm},
}

// toolMarks are marks with any value.
var toolMarks = map[string]ToolMark{
	// Argo CD: in label tracking, whatever bears the instance label belongs to that Application, wherever it is.
	// The first is the label that it uses unless told otherwise.
	"app.kubernetes.io/instance":         argoCD,
	"argocd.argoproj.io/instance":        argoCD,
	"argocd.argoproj.io/tracking-id":     argoCD,
	"argocd.argoproj.io/installation-id": argoCD,

	// Operator Lifecycle Manager collects what is labelled with an owner that is not there.
	"olm.owner":           olm,
	"olm.owner.kind":      olm,
	"olm.owner.namespace": olm,
	"olm.managed":         olm,
	"olm.copiedFrom":      olm,

	// cli-utils, kpt, Config Sync: the inventory that an object was applied with, and the inventory itself.
	"config.kubernetes.io/owning-inventory":   applierInventory,
	"config.k8s.io/owning-inventory":          applierInventory,
	"cli-utils.sigs.k8s.io/inventory-id":      applierInventory,
	"configmanagement.gke.io/managed":         configSync,
	"configmanagement.gke.io/token":           configSync,
	"configmanagement.gke.io/cluster-name":    configSync,
	"configmanagement.gke.io/declared-fields": configSync,

	// kube-addon-manager prunes, in all namespaces, what bears its label and is not in its directory.
	"addonmanager.kubernetes.io/mode": {Tool: "the addon manager"},

	// Flux 1 collects what bears its mark of another sync.
	"fluxcd.io/sync-gc-mark":  flux,
	"fluxcd.io/sync-checksum": flux,

	// trust-manager cleans targets that it finds by this label.
	"trust.cert-manager.io/bundle": {Tool: "trust-manager"},
}

// toolMarkPrefixes begin the keys of tools whose every key concerns the objects that they manage. The first one that fits counts.
var toolMarkPrefixes = []struct {
	prefix string
	mark   ToolMark
}{
	// Helm: the release that an object was installed by.
	{"meta.helm.sh/release-", helm},

	// Flux: the Kustomization, HelmRelease, ResourceSet or FluxInstance that applied an object, and how.
	{"kustomize.toolkit.fluxcd.io/", flux},
	{"helm.toolkit.fluxcd.io/", flux},
	{"resourceset.fluxcd.controlplane.io/", flux},
	{"fluxcd.controlplane.io/", flux},

	// Operator Lifecycle Manager: the components of an Operator are found by operators.coreos.com/<package>.<namespace>.
	{"operators.coreos.com/", olm},

	// kubectl apply --prune --applyset: members by label, and the parent itself.
	{"applyset.kubernetes.io/", ToolMark{Tool: "kubectl apply --prune"}},

	// kapp finds the resources of an app by label in the whole cluster, and deletes those that are not declared.
	{"kapp.k14s.io/", ToolMark{Tool: "kapp"}},

	// Rancher, Fleet, k3s and others built on wrangler list their objects by the hash of their owner.
	{"objectset.rio.cattle.io/", ToolMark{Tool: "Rancher"}},

	// Config Sync: the declared identity of an object.
	{"configsync.gke.io/", configSync},

	// Kyverno lists what a generate rule made by label, and deletes it with the trigger or rule.
	{"generate.kyverno.io/clone-source", ToolMark{"Kyverno", MarkOfEither}},
	{"generate.kyverno.io/", ToolMark{"Kyverno", MarkOfCopy}},

	// External Secrets and Vault Secrets Operator delete orphans that they find by label.
	{"reconcile.external-secrets.io/", ToolMark{Tool: "External Secrets"}},
	{"secrets.hashicorp.com/", ToolMark{Tool: "Vault Secrets Operator"}},

	// Tools that copy objects themselves: their marks make a copy a source of more copies, or a copy of theirs that
	// they overwrite or delete.
	{"reflector.v1.k8s.emberstack.com/reflects", ToolMark{reflector, MarkOfCopy}},
	{"reflector.v1.k8s.emberstack.com/auto-reflects", ToolMark{reflector, MarkOfCopy}},
	{"reflector.v1.k8s.emberstack.com/reflected-", ToolMark{reflector, MarkOfCopy}},
	{"reflector.v1.k8s.emberstack.com/", ToolMark{reflector, MarkOfSource}},
	{"replicator.v1.mittwald.de/replicate-from", ToolMark{"kubernetes-replicator", MarkOfCopy}},
	{"replicator.v1.mittwald.de/replicated-", ToolMark{"kubernetes-replicator", MarkOfCopy}},
	{"replicator.v1.mittwald.de/", ToolMark{"kubernetes-replicator", MarkOfSource}},
	{"kubed.appscode.com/origin", ToolMark{"config-syncer", MarkOfCopy}},
	{"kubed.appscode.com/", ToolMark{"config-syncer", MarkOfSource}},
	{"hnc.x-k8s.io/inherited-from", ToolMark{"HNC", MarkOfCopy}},
	{"hnc.x-k8s.io/", ToolMark{"HNC", MarkOfSource}},
}
