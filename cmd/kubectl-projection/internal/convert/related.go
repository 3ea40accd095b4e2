package convert

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
)

// ofRelated is what templates for the names of related objects know.
var ofRelated = scope{
	roots: map[string]string{"Object": objectVariable, "ClusterName": clusterName},
	refused: map[string]string{
		"Side":        "the template reads .Side: the name has to be in a field of the published object on each side",
		"ClusterPath": "a RemoteCluster has no path of a workspace",
	},
}

// related converts an entry, or says why there is none.
func (r *Result) related(from *theirRelated) {
	field := "spec.related[" + from.Identifier + "]"
	to := v1alpha1.RelatedResource{Name: from.Identifier, Origin: v1alpha1.OriginService, WhenOriginGone: v1alpha1.OriginGoneKeep}
	if from.Origin == "kcp" {
		to.Origin = v1alpha1.OriginConsumer
	}
	isConvertible := true
	fail := func(of, format string, arguments ...any) {
		r.lose(field+of, format+"; there is no such entry in spec.related", arguments...)
		isConvertible = false
	}
	if from.Projection != nil {
		fail(".projection", "a related object has the same kind on both sides")
	}
	if from.IdentityHash != "" {
		fail(".identityHash", "kinds of other APIExports are not known")
	}
	path, why := nameOfRelated(from.Object)
	if why != "" {
		fail(".object", "%s", why)
	}
	if from.Object.Namespace != nil && !isOwnNamespace(*from.Object.Namespace) {
		fail(".object.namespace", "a related object is in the namespace of the published object")
	}
	to.Path = path
	to.Resource = r.kindOfRelated(field, from)
	r.lostOfRelated(field, from)
	switch policy := from.CleanupPolicy; {
	case policy == "MatchOrigin":
		to.WhenOriginGone = ""
	case policy == "OnPrimaryDeletion" || policy == "" && from.Cleanup:
		to.WhenOriginGone = ""
		r.note(field+".cleanupPolicy", "the copy is also deleted when its origin is: set whenOriginGone to Keep to have it stay")
	}
	if !isConvertible {
		return
	}
	r.Resource.Spec.Related = append(r.Resource.Spec.Related, to)
	if to.Origin == v1alpha1.OriginService {
		r.nameByReference(field, to)
	}
}

// nameByReference has the name of an object of the service be one that the consumer cannot choose.
func (r *Result) nameByReference(field string, to v1alpha1.RelatedResource) {
	toService := &r.Resource.Spec.Mutation.ToService
	if !slices.ContainsFunc(toService.References, func(known v1alpha1.Reference) bool { return known.Path == to.Path }) {
		toService.References = append(toService.References, v1alpha1.Reference{Path: to.Path, Related: to.Name})
	}
	r.note(field+".object", "a consumer cannot choose which object of the service is copied: in the copy, %s becomes a name that no other consumer has", to.Path)
}

// lostOfRelated says which other fields of the entry have no counterpart.
func (r *Result) lostOfRelated(field string, from *theirRelated) {
	if from.Mutation != nil {
		r.lose(field+".mutation", "a related object is copied as it is")
	}
	if from.SyncStatus {
		r.lose(field+".syncStatus", "the status of a related object is not copied")
	}
	if from.Watch != nil {
		r.note(field+".watch", "related objects are always watched")
	}
	if from.Version != "" && from.Version != "v1" {
		r.note(field+".version", "a related object is read and written in the version that the API server prefers")
	}
}

// nameOfRelated returns the path of the field with the name of the related object, or why there is none.
func nameOfRelated(from theirPlace) (at, why string) {
	switch {
	case from.Reference != nil:
		if from.Reference.Regex != nil {
			return "", "the name is that of a field, and no pattern changes it"
		}
		parsed, err := parsePath(from.Reference.Path)
		return pathOfRelated(parsed, err)
	case from.Template != nil:
		made, err := ofRelated.translate(from.Template.Template)
		if err == nil && made.whole == nil {
			return "", "the name is that of a field, and not the result of a template"
		}
		if err != nil {
			return "", err.Error()
		}
		return pathOfRelated(*made.whole, nil)
	case from.Selector != nil:
		return "", "a related object is found by its name in a field, and not by its labels"
	default:
		return "", "nothing says which object it is"
	}
}

func pathOfRelated(parsed path, err error) (at, why string) {
	switch {
	case err != nil:
		return "", err.Error()
	case !parsed.isContent():
		return "", "the path " + parsed.String() + " is not that of content: a related object is named by a field such as spec.secretName"
	default:
		return parsed.String(), ""
	}
}

// isOwnNamespace reports whether it is the namespace of the published object.
func isOwnNamespace(from theirPlace) bool {
	own := path{metadataField, "namespace"}
	switch {
	case from.Reference != nil && from.Reference.Regex == nil:
		parsed, err := parsePath(from.Reference.Path)
		return err == nil && slices.Equal(parsed, own)
	case from.Template != nil:
		made, err := ofRelated.translate(from.Template.Template)
		return err == nil && made.whole != nil && slices.Equal(*made.whole, own)
	default:
		return false
	}
}

// kindOfRelated returns the kind, which newer versions of api-syncagent do not name.
func (r *Result) kindOfRelated(field string, from *theirRelated) v1alpha1.RelatedKind {
	if from.Kind != "" {
		return v1alpha1.RelatedKind{Group: from.Group, Kind: from.Kind}
	}
	for _, kind := range []string{"ConfigMap", "Secret", "Service", "PersistentVolumeClaim"} {
		if plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: kind}); from.Group == "" && plural.Resource == from.Resource {
			return v1alpha1.RelatedKind{Kind: kind}
		}
	}
	singular := strings.TrimSuffix(from.Resource, "s")
	if stem, isPlural := strings.CutSuffix(from.Resource, "ies"); isPlural {
		singular = stem + "y"
	}
	guessed := ""
	if singular != "" {
		guessed = strings.ToUpper(singular[:1]) + singular[1:]
	}
	r.note(field+".resource", "the kind of %s is not known, and %s is a guess: correct it", from.Resource, guessed)
	return v1alpha1.RelatedKind{Group: from.Group, Kind: guessed}
}
