package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
)

const consentsLong = `List the objects whose owners say whether rules may copy them.

It reads the metadata of ConfigMaps, Secrets and the kinds that rules name, and of the kinds of the flag --kinds, in the namespace or, with
--all-namespaces, in all of them. Objects without the annotation projection.sh/projectable are not listed. In permissive mode, rules may
copy these, too.`

const consentsExample = `  # What in all namespaces may be copied, or is opted out
  kubectl projection consents --all-namespaces

  # Also Deployments, whether a rule names one or not
  kubectl projection consents -n platform --kinds=deployments.apps`

// consentInfo is what the owner of an object says.
type consentInfo struct {
	Object  forecast.Object `json:"object"`
	Consent string          `json:"consent"`
	// PublicKeys are the keys of a Secret that rules may copy into a ConfigMap, as the annotation lists them.
	PublicKeys string `json:"publicKeys,omitempty"`
	// Rules counts the rules that name or select the object, among those that the caller may list.
	Rules int `json:"rules"`
}

// consentsReport are the objects whose owners say something.
type consentsReport struct {
	Consents []consentInfo `json:"consents"`
	// Unknown are the resources that the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
	// namespace is that of which the objects are; empty: all.
	namespace string
}

func newConsents(o *options) *cobra.Command {
	var out output
	var everywhere bool
	var kinds []string
	command := &cobra.Command{
		Use:     "consents",
		Short:   "List the objects whose owners say whether rules may copy them",
		Long:    consentsLong,
		Example: consentsExample,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			found, err := o.consents(command.Context(), kinds, everywhere)
			if err != nil {
				return err
			}
			return out.print(o.Out, report{kind: "Consents", data: found, names: found.names(), text: func(w io.Writer) error { return found.print(w, &out) }})
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	command.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "If present, list the objects of all namespaces.")
	command.Flags().StringSliceVar(&kinds, "kinds", nil, "More types to list, as kubectl get takes them, separated by commas.")
	return command
}

func (o *options) consents(ctx context.Context, kinds []string, everywhere bool) (*consentsReport, error) {
	namespace, err := o.namespace()
	if err != nil {
		return nil, err
	}
	if everywhere {
		namespace = metav1.NamespaceAll
	}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := cluster.Rules(ctx, "", metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	resources, err := resourcesOf(cluster.Mapper, rules.Items, kinds)
	if err != nil {
		return nil, err
	}
	found := &consentsReport{Consents: []consentInfo{}, Unknown: rules.Unknown, namespace: namespace}
	for _, mapping := range resources {
		err := cluster.EachMetadata(ctx, mapping.Resource, namespace, metav1.ListOptions{}, func(object *metav1.PartialObjectMetadata) error {
			found.add(rules.Items, settings, mapping.GroupVersionKind.GroupKind(), object)
			return nil
		})
		if access.IsUnknown(err) {
			found.Unknown = append(found.Unknown, mapping.Resource.GroupResource().String())
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// resourcesOf returns ConfigMaps, Secrets, the kinds that the rules name and those that the caller names. Kinds that the API server does not
// serve are left out, unless the caller names them.
func resourcesOf(mapper meta.RESTMapper, rules []access.Rule, named []string) ([]*meta.RESTMapping, error) {
	kinds := []schema.GroupKind{{Kind: "ConfigMap"}, {Kind: "Secret"}}
	for _, rule := range rules {
		if rule.SourceCluster == "" {
			kinds = append(kinds, rule.Spec.Source.GroupKind())
		}
	}
	var mappings []*meta.RESTMapping
	for _, kind := range kinds {
		mapping, err := mapper.RESTMapping(kind)
		if err != nil && !meta.IsNoMatchError(err) {
			return nil, err
		}
		if err == nil {
			mappings = append(mappings, mapping)
		}
	}
	others, err := namedResources(mapper, named)
	if err != nil {
		return nil, err
	}
	mappings = append(mappings, others...)
	slices.SortFunc(mappings, func(a, b *meta.RESTMapping) int {
		return cmp.Compare(a.Resource.GroupResource().String(), b.Resource.GroupResource().String())
	})
	return slices.CompactFunc(mappings, func(a, b *meta.RESTMapping) bool { return a.Resource.GroupResource() == b.Resource.GroupResource() }), nil
}

// namedResources returns those that the caller names, as kubectl get takes them.
func namedResources(mapper meta.RESTMapper, named []string) (mappings []*meta.RESTMapping, err error) {
	for _, name := range named {
		object, err := parseObject(mapper, []string{name, "any"})
		if err != nil {
			return nil, err
		}
		mappings = append(mappings, &meta.RESTMapping{Resource: object.resource, GroupVersionKind: object.kind})
	}
	return mappings, nil
}

// add adds the object if its owner says something.
func (r *consentsReport) add(rules []access.Rule, settings access.Settings, kind schema.GroupKind, object *metav1.PartialObjectMetadata) {
	value, said := object.Annotations[v1.AnnotationProjectable]
	isLabelled := object.Labels[v1.LabelOwnedByProjectionUID] != "" || object.Labels[v1.LabelOwnedByClusterProjectionUID] != ""
	if !said || isLabelled && value == v1.ProjectableFalse { // the operator opts copies out whose source permits some namespaces only
		return
	}
	info := consentInfo{
		Object:  forecast.ObjectOf(kind, types.NamespacedName{Namespace: object.Namespace, Name: object.Name}),
		Consent: consentOf(settings, object.Annotations), PublicKeys: object.Annotations[v1.AnnotationPublicKeys],
	}
	for _, rule := range rules {
		if copies(rule, info.Object, object.Labels) {
			info.Rules++
		}
	}
	r.Consents = append(r.Consents, info)
}

// names returns the objects, as kubectl get -o name has them.
func (r *consentsReport) names() []string {
	names := make([]string, len(r.Consents))
	for i, info := range r.Consents {
		names[i] = objectname.Argument(info.Object.GroupKind(), info.Object.Name)
	}
	return names
}

// hidesRules reports whether there may be rules that the caller may not list.
func (r *consentsReport) hidesRules() bool {
	return slices.Contains(r.Unknown, access.Projections.Resource) || slices.Contains(r.Unknown, access.ClusterProjections.Resource)
}

func (r *consentsReport) print(w io.Writer, out *output) error {
	rows := make([][]string, len(r.Consents))
	for i, info := range r.Consents {
		rules := strconv.Itoa(info.Rules)
		if r.hidesRules() {
			rules = unknownValue
		}
		rows[i] = []string{info.Object.Namespace, objectname.Argument(info.Object.GroupKind(), info.Object.Name), rules, info.Consent, info.PublicKeys}
	}
	if len(rows) > 0 {
		if err := out.table(w, columns("Namespace", "Object", "Rules", "Consent", "+Public-Keys"), rows); err != nil {
			return err
		}
	}
	for _, resource := range r.Unknown {
		if _, err := fmt.Fprintf(w, "%s: you may not list %s\n", unknownValue, resource); err != nil {
			return err
		}
	}
	if len(rows) == 0 && len(r.Unknown) == 0 {
		_, err := fmt.Fprintln(w, r.none())
		return err
	}
	return nil
}

// none is what is printed of no object.
func (r *consentsReport) none() string {
	if r.namespace == "" {
		return "No object says whether it may be copied."
	}
	return "No object in the namespace " + r.namespace + " says whether it may be copied. -A lists all namespaces."
}
