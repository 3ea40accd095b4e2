package layering_test

import (
	"slices"
	"strings"
)

const module = "projection.sh/operator"

// layer is a set of packages, and everything that they may reach.
type layer struct {
	packages []string // below the module; a name stands for the package and all below it
	reaches  []string // likewise; every package of a layer reaches itself, too
	never    []string // packages of others that must not be reached, not even through a third
	because  string
}

var (
	kit    = []string{"mutations", "primitives", "api"}
	tools  = []string{"components/freshness", "components/metrics", "components/panics", "components/rollout"}
	domain = slices.Concat([]string{
		"components/owner", "components/policy", "components/impersonate", "components/apierr", "components/expressions", "components/health",
	}, tools, kit)
	parts = append([]string{
		"components/definition", "components/destination", "components/lane", "components/source", "components/watch",
	}, domain...)
)

// layers runs from the top to the bottom. Every package of the operator is in exactly one.
var layers = []layer{
	{
		packages: []string{"cmd/manager"},
		reaches:  append([]string{"components"}, kit...),
		never:    []string{"k8s.io/cli-runtime", "sigs.k8s.io/kustomize"},
		because:  "the manager wires the components, and nothing of test code or of the plugin",
	},
	{
		packages: []string{"cmd/kubectl-projection"},
		reaches:  append([]string{"components"}, kit...),
		because:  "the plugin shares the components with the manager, and not its wiring",
	},
	{
		packages: []string{"components/projection", "components/clusterprojection"},
		reaches:  append([]string{"components/projector", "components/plan"}, parts...),
		because:  "the two kinds differ in data and share one spine, not each other",
	},
	{
		packages: []string{"components/push"},
		reaches: append([]string{
			"components/clusterprojection", "components/projector", "components/plan", "components/reach", "components/remotecluster", "components/fleet",
			"components/rights",
		}, parts...),
		because: "ClusterProjections alone copy into other clusters",
	},
	{
		packages: []string{"components/pull"},
		reaches:  append([]string{"components/projector", "components/plan", "components/reach", "components/remotecluster", "components/fleet"}, parts...),
		because:  "rules read from other clusters through it, and it does not know the kinds of rules",
	},
	{
		packages: []string{"components/reach"},
		reaches:  append([]string{"components/plan", "components/remotecluster", "components/fleet"}, parts...),
		because:  "whether a cluster can be used, and by what it is reached, does not depend on what is copied",
	},
	{
		packages: []string{"components/projector"},
		reaches:  append([]string{"components/plan"}, parts...),
		because:  "the spine is generic and does not know the kinds that use it",
	},
	{
		packages: []string{"components/plan"},
		reaches:  parts,
		because:  "a plan can be made without a projector",
	},
	{
		packages: []string{"components/destination"},
		reaches:  append([]string{"components/watch"}, domain...),
		because:  "copies are kept by watches, and know nothing of where their content comes from",
	},
	{
		packages: []string{"components/lane"},
		reaches:  append([]string{"components/watch"}, domain...),
		because:  "a lane knows the rules that it enqueues, and not what their requests are about",
	},
	{
		packages: []string{"components/remotecluster"},
		reaches:  []string{"components/fleet", "components/apierr", "api"},
		because:  "what other clusters there are depends on no rule",
	},
	{
		packages: []string{"components/rights"},
		reaches:  []string{"api"},
		because:  "which permissions are needed is computed from what it is given",
	},
	{
		packages: []string{"components/fleet"},
		reaches:  []string{"components/apierr", "api"},
		because:  "a connection to another cluster depends on no rule",
	},
	{
		packages: []string{"components/publication/crd"},
		reaches:  []string{"mutations/paths"},
		because:  "what consumers see follows from the definition of the service alone",
	},
	{
		packages: []string{"components/publication"},
		reaches: append([]string{
			"components/publication/crd", "components/reach", "components/remotecluster", "components/fleet", "components/plan",
		}, parts...),
		because: "objects of consumers are copied beside the rules, over the same connections",
	},
	{
		packages: []string{"components/definition", "components/source", "components/watch"},
		reaches:  domain,
		because:  "the parts of the spine stand beside each other, on owner, policy and apierr",
	},
	{
		packages: []string{"components/owner", "components/policy"},
		reaches:  append([]string{"components/impersonate", "components/apierr"}, kit...),
		because:  "identity and policy are the bottom of the domain",
	},
	{
		packages: []string{"components/impersonate"},
		reaches:  append([]string{"components/apierr"}, kit...),
		because:  "in whose name a request is made depends on no rule",
	},
	{
		packages: []string{"components/apierr"},
		reaches:  kit,
		because:  "the meaning of API errors depends on no rule",
	},
	{
		packages: []string{"components/expressions"},
		because:  "the language of expressions knows no rules and no copies",
	},
	{
		packages: []string{"components/health"},
		reaches:  []string{"primitives"},
		because:  "what a status says depends on no rule, and is said once, in primitives",
	},
	{
		packages: tools,
		because:  "these packages know no rules and no copies",
	},
	{
		packages: []string{"mutations"},
		reaches:  []string{"primitives", "api"},
		never:    []string{"github.com/google/cel-go", "k8s.io/apiserver"},
		because:  "mutations are public and know nothing of the operator that uses them",
	},
	{
		packages: []string{"primitives"},
		because:  "the kit knows no word of projection",
	},
	{
		packages: []string{"api"},
		never:    []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go"},
		because:  "any client can import the types without a framework",
	},
}

func layerOf(pkg string) (layer, bool) {
	i := slices.IndexFunc(layers, func(l layer) bool { return rootOf(pkg, below(l.packages)) != "" })
	if i < 0 {
		return layer{}, false
	}
	return layers[i], true
}

// breach returns what the package must not reach, if the dependency is or belongs to such, or "".
func (l layer) breach(pkg, dep string) string {
	if !within(dep, module) {
		return rootOf(dep, l.never)
	}
	own := rootOf(pkg, below(l.packages))
	if within(dep, own) || rootOf(dep, below(l.reaches)) != "" {
		return ""
	}
	return dep
}

// below returns the import paths of names below the module.
func below(names []string) []string {
	paths := make([]string, 0, len(names))
	for _, name := range names {
		paths = append(paths, module+"/"+name)
	}
	return paths
}

// rootOf returns the path that the package is, or is below of, or "".
func rootOf(pkg string, paths []string) string {
	for _, path := range paths {
		if within(pkg, path) {
			return path
		}
	}
	return ""
}

func within(pkg, root string) bool { return pkg == root || strings.HasPrefix(pkg, root+"/") }
