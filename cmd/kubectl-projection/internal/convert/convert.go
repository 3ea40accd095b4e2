// Package convert makes PublishedResources of those of api-syncagent. It reads no cluster. What has no counterpart is said, field by field.
package convert

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// Options are what a PublishedResource of api-syncagent does not say.
type Options struct {
	// Consumers are the clusters to which the kind is offered; nil: those with a label that is named after it.
	Consumers *v1.ClusterTargets
	// Group is the API group of consumers if the resource names none: that of the APIExport; empty: that of the service.
	Group string
}

// Note says what of a field has to be looked at.
type Note struct {
	// Field is the path of the field of api-syncagent.
	Field string
	// Text is a sentence without the field.
	Text string
}

func (n Note) String() string { return n.Field + ": " + n.Text }

// Result is a PublishedResource and what its author has to know.
type Result struct {
	Resource *v1alpha1.PublishedResource
	// Lost says what is not converted, and Notes what means something else, or has to be decided.
	Lost, Notes []Note
}

func (r *Result) lose(field, format string, arguments ...any) {
	r.Lost = append(r.Lost, Note{field, fmt.Sprintf(format, arguments...)})
}

func (r *Result) note(field, format string, arguments ...any) {
	r.Notes = append(r.Notes, Note{field, fmt.Sprintf(format, arguments...)})
}

// Convert returns the PublishedResource for one of api-syncagent. An error says that the object is none.
func Convert(object *unstructured.Unstructured, options Options) (*Result, error) {
	from := &theirs{}
	result := &Result{Resource: &v1alpha1.PublishedResource{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "PublishedResource"},
	}}
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, from, true)
	if strict, isStrict := runtime.AsStrictDecodingError(err); isStrict {
		for _, unknown := range strict.Errors() {
			result.lose(fieldOf(unknown), "this field is not known")
		}
	} else if err != nil {
		return nil, fmt.Errorf("the PublishedResource %s of api-syncagent cannot be read: %w", object.GetName(), err)
	}
	if from.Spec.Resource.Kind == "" || from.Spec.Resource.APIGroup == "" {
		return nil, fmt.Errorf("the PublishedResource %s of api-syncagent names no kind in spec.resource", object.GetName())
	}
	result.metadata(from.Metadata)
	result.service(from.Spec, options)
	result.filter(from.Spec.Filter)
	result.naming(from.Spec.Naming)
	if from.Spec.Mutation != nil {
		result.mutation(*from.Spec.Mutation)
	}
	for i := range from.Spec.Related {
		result.related(&from.Spec.Related[i])
	}
	result.others(from.Spec)
	return result, nil
}

// fieldOf returns the field that is not known.
func fieldOf(unknown error) string {
	_, field, isNamed := strings.Cut(unknown.Error(), `unknown field "`)
	if !isNamed {
		return unknown.Error()
	}
	return strings.TrimSuffix(field, `"`)
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func (r *Result) metadata(from metav1.ObjectMeta) {
	to := &r.Resource.ObjectMeta
	to.Name, to.Labels, to.Annotations = from.Name, from.Labels, from.Annotations
	delete(to.Annotations, lastApplied)
	if strings.Contains(to.Name, ".") {
		to.Name = strings.ReplaceAll(to.Name, ".", "-")
		r.note("metadata.name", "copies name the PublishedResource, so that it has no dots: it is %s here", to.Name)
	}
}

// service converts the kind, and how it looks to consumers.
func (r *Result) service(from theirSpec, options Options) {
	spec := &r.Resource.Spec
	spec.Service.Resource = v1alpha1.PublishedKind{Group: from.Resource.APIGroup, Kind: from.Resource.Kind}
	versions := from.Resource.Versions
	if from.Resource.Version != "" && !slices.Contains(versions, from.Resource.Version) {
		versions = append(versions, from.Resource.Version)
	}
	for _, version := range versions {
		spec.Service.Resource.Versions = append(spec.Service.Resource.Versions, v1alpha1.VersionName(version))
	}
	if len(versions) == 0 {
		r.note("spec.resource.versions", "api-syncagent offers all versions, and the operator the one that the API server prefers: list those that consumers need")
	}
	spec.Consumers.Clusters = r.consumers(options)
	if from.Projection != nil {
		r.projection(*from.Projection, versions)
	}
	switch {
	case spec.Projection.Group != "":
	case options.Group != "":
		spec.Projection.Group = options.Group
	default:
		r.note("spec.projection.group", "api-syncagent offers the kind in the group of the APIExport, and the operator in that of the service: "+
			"set spec.projection.group, or convert with --group")
	}
}

func (r *Result) consumers(options Options) v1.ClusterTargets {
	if options.Consumers != nil {
		return *options.Consumers
	}
	label := r.Resource.Name
	r.note("spec", "api-syncagent offers the kind to the workspaces that bind the APIExport, and the operator to the RemoteClusters in spec.consumers: "+
		"those with the label %s=on; set it by kubectl label remotecluster NAME %s=on, or convert with --consumers", label, label)
	return v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]string{label: "on"}}}
}

func (r *Result) projection(from theirProjection, versions []string) {
	to := &r.Resource.Spec.Projection
	to.Group, to.Kind, to.Plural = from.Group, from.Kind, from.Plural
	if to.Kind != "" && to.Plural == "" {
		to.Plural = strings.ToLower(to.Kind) + "s" // as api-syncagent has it
	}
	if from.ShortNames != nil {
		to.ShortNames = &from.ShortNames
	}
	if from.Categories != nil {
		to.Categories = &from.Categories
	}
	if from.Scope != "" {
		r.lose("spec.projection.scope", "the kind has the same scope for consumers as for the service")
	}
	for old, renamed := range from.Versions {
		r.renameVersion(old, renamed)
	}
	switch {
	case from.Version == "":
	case len(versions) == 1:
		r.renameVersion(versions[0], from.Version)
	default:
		r.lose("spec.projection.version", "it renames one version, and spec.resource names none or several: write spec.projection.versions")
	}
}

func (r *Result) renameVersion(old, renamed string) {
	to := &r.Resource.Spec.Projection
	if to.Versions == nil {
		to.Versions = map[string]v1alpha1.VersionName{}
	}
	to.Versions[old] = v1alpha1.VersionName(renamed)
}

func (r *Result) filter(from *theirFilter) {
	if from == nil {
		return
	}
	r.Resource.Spec.Filter.NamespaceSelector = r.selector("spec.filter.namespace", from.Namespace)
	r.Resource.Spec.Filter.ObjectSelector = r.selector("spec.filter.resource", from.Resource)
}

// maxRequirements is how many requirements a selector has.
const maxRequirements = 10

func (r *Result) selector(field string, from *metav1.LabelSelector) *v1.SourceSelector {
	if from == nil {
		return nil
	}
	if len(from.MatchLabels) > maxRequirements || len(from.MatchExpressions) > maxRequirements {
		r.note(field, "a selector has at most %d labels and %d expressions: the API server refuses it", maxRequirements, maxRequirements)
	}
	to := &v1.SourceSelector{MatchLabels: from.MatchLabels}
	for _, requirement := range from.MatchExpressions {
		to.MatchExpressions = append(to.MatchExpressions, v1.WaveSelectorRequirement{
			Key: requirement.Key, Operator: requirement.Operator, Values: requirement.Values,
		})
	}
	return to
}

// others converts what api-syncagent does without being asked, and the rest.
func (r *Result) others(from theirSpec) {
	spec := &r.Resource.Spec
	if from.EnableWorkspacePaths {
		r.lose("spec.enableWorkspacePaths", "copies have no label with the path of a workspace")
	}
	if from.Synchronization != nil && !from.Synchronization.Enabled {
		spec.Suspend = true
		r.note("spec.synchronization.enabled", "spec.suspend installs the definition, and copies no object")
	}
	spec.Deletion.Wait = true
	r.note("spec", "spec.deletion.wait has the objects of consumers wait for the deletion of their copies, as api-syncagent does: remove it if they need not")
	r.note("spec", "objects in the place of copies are left alone, while api-syncagent takes them over: copies that it has made are not taken over unless "+
		"naming results in their place and spec.adoption permits it")
}
