package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/owner"
)

// What an object is to the operator.
const (
	isCopy      = "Copy"      // it is a copy of a rule
	isElsewhere = "Elsewhere" // somebody has made it from a copy
	isAmbiguous = "Ambiguous" // it names two rules as its owner
	isReleased  = "Released"  // it was a copy until somebody took the annotation off
	isRemote    = "Remote"    // it is a copy that the operator of another cluster has written
	isNoCopy    = "NoCopy"    // it is no copy
	isUnknown   = "Unknown"   // the caller may not read it
)

// objectReport is what an object has to do with rules.
type objectReport struct {
	Object forecast.Object `json:"object"`
	State  string          `json:"state"`
	// Rule is the one that owns the object; nil: none does.
	Rule *ruleInfo `json:"rule,omitempty"`
	// Remote is the rule that owns the object, if the operator of another cluster has written it: <hub id>/<kind>/<name>.
	Remote string `json:"remote,omitempty"`
	// Orphan reports whether that rule does not exist.
	Orphan bool `json:"orphan,omitempty"`
	// Source is the object that the copy names as its source.
	Source *forecast.Object `json:"source,omitempty"`
	// Layers are the objects whose keys were laid to those of the source.
	Layers []string `json:"layers,omitempty"`
	// Verdict says whether the copy has the content that the rule wants now.
	Verdict *forecast.Verdict `json:"verdict,omitempty"`
	// Written is when the operator has changed the object last.
	Written *metav1.Time `json:"written,omitempty"`
	// OtherWriters are the field managers that own other fields of the object.
	OtherWriters []string `json:"otherWriters,omitempty"`
	// Consent says whether the owner of the object lets rules copy it.
	Consent string `json:"consent,omitempty"`
	// CopiedBy are the rules that name or select the object.
	CopiedBy []ruleInfo `json:"copiedBy"`
	// Unknown are the resources of rules that the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
}

func (i inquiry) ofObject(ctx context.Context, named named) (objectReport, error) {
	at := types.NamespacedName{Namespace: i.namespace, Name: named.name}
	found := objectReport{Object: forecast.ObjectOf(named.kind.GroupKind(), at), State: isNoCopy, CopiedBy: []ruleInfo{}}
	object, err := i.cluster.Metadata.Resource(named.resource).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	switch {
	case access.IsUnknown(err):
		found.State, object = isUnknown, &metav1.PartialObjectMetadata{}
	case err != nil:
		return objectReport{}, err
	default:
		err = i.owners(ctx, nil).addTo(ctx, &found, object)
	}
	if err != nil && found.State != isUnknown {
		return objectReport{}, err
	}
	err = i.addReaders(ctx, &found, object)
	return found, err
}

func isReleasedBy(kind owner.RuleKind, object *metav1.PartialObjectMetadata) bool {
	rule := owner.Identity{Kind: kind, UID: types.UID(object.Labels[kind.Label])}
	return rule.Released(object)
}

// parseSource returns the object that the annotation of a copy names: [cluster:]Kind[.group]/namespace/name. Nil: none.
func parseSource(value string) *forecast.Object {
	parts := strings.Split(value, "/")
	if len(parts) != 3 {
		return nil
	}
	cluster, named, isElsewhere := strings.Cut(parts[0], ":")
	if !isElsewhere {
		cluster, named = "", parts[0]
	}
	kind, group, _ := strings.Cut(named, ".")
	for _, name := range []string{kind, parts[1], parts[2]} {
		if !objectname.IsValid(name) {
			return nil
		}
	}
	if isElsewhere && !objectname.IsValid(cluster) {
		return nil
	}
	if group != "" && !objectname.IsValid(group) {
		return nil
	}
	return &forecast.Object{Cluster: cluster, Group: group, Kind: kind, Namespace: parts[1], Name: parts[2]}
}

// layersOf returns the layers that the copy names.
func layersOf(object *metav1.PartialObjectMetadata) (layers []string) {
	for layer := range strings.SplitSeq(object.Annotations[v1.AnnotationLayers], ",") {
		if parsed := parseSource(layer); parsed != nil {
			layers = append(layers, parsed.String())
		}
	}
	return layers
}

// writersOf returns when the rule has changed the object last, and which other field managers own fields of it.
func writersOf(object *metav1.PartialObjectMetadata, rule owner.Identity) (written *metav1.Time, others []string) {
	for i := range object.ManagedFields {
		entry := &object.ManagedFields[i]
		switch {
		case entry.Subresource != "":
		case entry.Manager == rule.FieldManager():
			written = entry.Time
		case entry.Manager != rule.Adopting():
			others = append(others, entry.Manager)
		}
	}
	slices.Sort(others)
	return written, slices.Compact(others)
}

// addReaders adds the rules that copy the object.
func (i inquiry) addReaders(ctx context.Context, found *objectReport, object *metav1.PartialObjectMetadata) error {
	rules, err := i.cluster.Rules(ctx, "", metav1.ListOptions{})
	if err != nil && !errors.Is(err, access.ErrNotInstalled) {
		return err
	}
	found.Unknown = rules.Unknown
	for _, rule := range rules.Items {
		if copies(rule, found.Object, object.Labels) && !rule.Owns(object) {
			found.CopiedBy = append(found.CopiedBy, infoOf(rule, i.settings))
		}
	}
	sortRules(found.CopiedBy)
	if found.State == isUnknown {
		found.Consent = unknownValue
	} else if len(found.CopiedBy) > 0 || found.State == isNoCopy {
		found.Consent = consentOf(i.settings, object.Annotations)
	}
	return nil
}

// consentOf says whether the owner of an object with these annotations lets rules copy it.
func consentOf(settings access.Settings, annotations map[string]string) string {
	value, said := annotations[v1.AnnotationProjectable]
	switch {
	case !said && !settings.Known:
		return unknownValue + ": not annotated, and you may not read the source mode of the operator"
	case !said && settings.Mode.Consents(annotations):
		return "consents: the source mode is permissive"
	case !said:
		return "does not consent: not annotated"
	case settings.Mode.Consents(annotations):
		return fmt.Sprintf("consents: %q", value)
	default:
		return fmt.Sprintf("does not consent: %q", value)
	}
}
