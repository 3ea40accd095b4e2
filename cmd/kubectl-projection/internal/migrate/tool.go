// Package migrate writes the rules that take over the copies of other tools. It reads metadata only, and changes nothing.
package migrate

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
)

// Tool is a tool that makes copies.
type Tool struct {
	// Name is what the tool is called.
	Name string
	// Kinds are those that the tool copies, as far as it is known without the cluster.
	Kinds []schema.GroupKind
	// Stop says how the tool is stopped so that its copies stay.
	Stop string
	// Finish says what to remove when the rules are ready.
	Finish string
	// look says what an object is to the tool.
	look func(*metav1.PartialObjectMetadata) look
	// unless is a sentence about when the tool makes copies that no source permits; empty: never.
	unless string
	// policiesDecide reports whether policies, and no sources, say where copies are.
	policiesDecide bool
}

// look is what an object is to a tool. The zero value: nothing.
type look struct {
	// isCopy reports whether it is a copy, and of the object origin; without a name, the copy does not name its source.
	isCopy bool
	origin types.NamespacedName
	// originUID is the uid of the origin, where the copy names that and no name.
	originUID types.UID
	// madeBy says what has made a copy that has no source.
	madeBy string
	// grant is what the object lets the tool do; nil: it is no source.
	grant *grant
}

// grant is what the owner of a source lets a tool do.
type grant struct {
	// pushes has the namespaces in which the tool creates copies, and permits those in which others may ask for one.
	pushes, permits reach
	// within reports whether the tool creates copies only where it permits others to ask for one, too.
	within bool
	// unsaid reports whether the source does not say where: it is just known to be one.
	unsaid bool
	// lost are sentences about what no rule can say.
	lost []string
}

// reaches reports whether the tool may have a copy in the namespace.
func (g *grant) reaches(namespace string, labels map[string]string) bool {
	return g.permits.has(namespace, labels) || !g.within && g.pushes.has(namespace, labels)
}

// permitted returns where copies may be.
func (g *grant) permitted() []reach {
	if g.within {
		return []reach{g.permits}
	}
	return []reach{g.pushes, g.permits}
}

var (
	secrets    = schema.GroupKind{Kind: "Secret"}
	configMaps = schema.GroupKind{Kind: "ConfigMap"}
)

func rbac(kind string) schema.GroupKind {
	return schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: kind}
}

// tools are those that the flag --from names.
var tools = map[string]Tool{
	"reflector":     reflector,
	"replicator":    replicator,
	"config-syncer": configSyncer,
	"kyverno":       kyverno,
}

// Of returns the tool of that name.
func Of(name string) (tool Tool, found bool) {
	tool, found = tools[name]
	return tool, found
}

const scaleDown = "Scale its Deployment to 0. Its copies stay."

// parseName returns the object that an annotation names as namespace/name.
func parseName(value string) (types.NamespacedName, bool) {
	namespace, name, found := strings.Cut(value, "/")
	if !found || !objectname.IsValid(namespace) || !objectname.IsValid(name) {
		return types.NamespacedName{}, false
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, true
}

// isTrue reports whether the annotation has the value true.
func isTrue(annotations map[string]string, key string) bool {
	return strings.EqualFold(strings.TrimSpace(annotations[key]), "true")
}

// hasAny reports whether one of the keys is there.
func hasAny(entries map[string]string, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, found := entries[key]; return found })
}
