package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/migrate"
)

const migrateLong = `Write ClusterProjections that take over the copies of another tool.

It reads the metadata of objects and namespaces, prints YAML, and changes nothing. Each rule has policy.onConflict: AdoptIdentical, so the operator
makes the copies that are there copies of the rule, as they are. Comments say what to do first, and what no rule can say. It prints the
rules for sources in the namespace or, with --all-namespaces, in all of them; their copies can be anywhere.`

const migrateExample = `  # Write rules in place of reflector into a file, to read and to apply
  kubectl projection migrate --from=reflector --all-namespaces > rules.yaml

  # Rules in place of the generate rules of Kyverno, also for Deployments
  kubectl projection migrate --from=kyverno -A --kinds=deployments.apps

  # What of the rules of be0x74a/projection needs a look
  kubectl projection migrate --from=projection -A`

// fromProjection is the tool whose rules stay as they are.
const fromProjection = "projection"

var fromTools = []string{"config-syncer", "kyverno", fromProjection, "reflector", "replicator"}

// migration are the flags of the command.
type migration struct {
	out        output
	from       string
	everywhere bool
	kinds      []string
}

// migrateReport is what becomes of the copies of a tool.
type migrateReport struct {
	Results []migrate.Result `json:"results"`
	// Unknown are the resources that the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
}

func newMigrate(o *options) *cobra.Command {
	var m migration
	command := &cobra.Command{
		Use:     "migrate --from=TOOL",
		Short:   "Write rules that take over the copies of another tool",
		Long:    migrateLong,
		Example: migrateExample,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := m.out.validate(); err != nil {
				return err
			}
			return o.migrate(command.Context(), &m)
		},
	}
	m.out.addFlags(command, formatYAML, formatJSON, formatName)
	command.Flags().StringVar(&m.from, "from", "", "The tool. One of: ("+strings.Join(fromTools, ", ")+").")
	command.Flags().BoolVarP(&m.everywhere, "all-namespaces", "A", false, "If present, write rules for the sources of all namespaces.")
	command.Flags().StringSliceVar(&m.kinds, "kinds", nil, "More types whose copies to look for, as kubectl get takes them, separated by commas.")
	_ = command.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(fromTools, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return command
}

func (o *options) migrate(ctx context.Context, m *migration) error {
	tool, isTool := migrate.Of(m.from)
	if !isTool && m.from != fromProjection {
		return fmt.Errorf("unknown tool %q: --from is one of %s", m.from, strings.Join(fromTools, ", "))
	}
	namespace, err := o.namespace()
	if err != nil {
		return err
	}
	if m.everywhere {
		namespace = metav1.NamespaceAll
	}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return err
	}
	isText := m.out.format == "" || m.out.format == formatYAML
	m.out.format = strings.TrimSuffix(m.out.format, formatYAML)
	if !isTool {
		return o.migratePredecessor(ctx, m, inquiry{cluster, settings, namespace})
	}
	resources, err := kindsOf(cluster.Mapper, tool.Kinds, m.kinds)
	if err != nil {
		return err
	}
	if isText { // reading can take a while
		if err := migrate.WriteHeader(o.Out, tool); err != nil {
			return err
		}
	}
	found, err := survey(ctx, inquiry{cluster, settings, namespace}, tool, resources)
	if err != nil {
		return err
	}
	return m.out.print(o.Out, report{kind: "Migration", data: found, names: found.names(), text: found.print})
}

// survey reads what the tool has made, and returns what becomes of it.
func survey(ctx context.Context, i inquiry, tool migrate.Tool, resources []*meta.RESTMapping) (*migrateReport, error) {
	world, unknown, err := worldOf(ctx, i)
	if err != nil {
		return nil, err
	}
	found := &migrateReport{Unknown: unknown}
	seen := migrate.NewSurvey(tool)
	for _, mapping := range resources {
		kind := mapping.GroupVersionKind.GroupKind()
		err := i.cluster.EachMetadata(ctx, mapping.Resource, metav1.NamespaceAll, metav1.ListOptions{}, func(object *metav1.PartialObjectMetadata) error {
			seen.See(kind, object)
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
	err = readSources(ctx, i.cluster, seen)
	found.Results = seen.Rules(world)
	return found, err
}

// worldOf reads what the rules depend on besides the objects of the tool.
func worldOf(ctx context.Context, i inquiry) (migrate.World, []string, error) {
	world := migrate.World{
		Namespaces: map[string]map[string]string{}, Excluded: i.settings.Excluded, Mode: i.settings.Mode, Sources: i.namespace,
	}
	rules, err := i.cluster.Rules(ctx, i.namespace, metav1.ListOptions{})
	if err != nil && !errors.Is(err, access.ErrNotInstalled) { // rules can be written before the operator is installed
		return world, nil, err
	}
	for _, rule := range rules.Items {
		if object, isCluster := rule.Object.(*v1.ClusterProjection); isCluster {
			world.Rules = append(world.Rules, object)
		}
	}
	var unknown []string
	if slices.Contains(rules.Unknown, access.ClusterProjections.Resource) {
		unknown = append(unknown, access.ClusterProjections.Resource)
	}
	all, err := i.cluster.AllNamespaces().All(ctx)
	if access.IsUnknown(err) {
		return world, append(unknown, "namespaces"), nil
	}
	for _, namespace := range all {
		if namespace.DeletionTimestamp == nil {
			world.Namespaces[namespace.Name] = namespace.Labels
		}
	}
	return world, unknown, err
}

// readSources reads the sources that the copies name. What does not exist, or may not be read, has no rule.
func readSources(ctx context.Context, cluster *access.Cluster, seen *migrate.Survey) error {
	for _, ref := range seen.Missing() {
		mapping, err := cluster.Mapper.RESTMapping(ref.Kind)
		if err != nil {
			return err
		}
		see := func(object *metav1.PartialObjectMetadata) error {
			seen.SeeSource(ref.Kind, object)
			return nil
		}
		if ref.Name == "" {
			err = cluster.EachMetadata(ctx, mapping.Resource, ref.Namespace, metav1.ListOptions{}, see)
		} else {
			var object *metav1.PartialObjectMetadata
			if object, err = cluster.Metadata.Resource(mapping.Resource).Namespace(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{}); err == nil {
				err = see(object)
			}
		}
		if err != nil && !access.IsUnknown(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// kindsOf returns those of the kinds that the API server serves, and those that the caller names.
func kindsOf(mapper meta.RESTMapper, kinds []schema.GroupKind, named []string) ([]*meta.RESTMapping, error) {
	var mappings []*meta.RESTMapping
	for _, kind := range kinds {
		mapping, err := mapper.RESTMapping(kind)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		mappings = append(mappings, mapping)
	}
	for _, name := range named {
		object, err := parseObject(mapper, []string{name, "any"})
		if err != nil {
			return nil, err
		}
		if !slices.Contains(kinds, object.kind.GroupKind()) {
			mappings = append(mappings, &meta.RESTMapping{Resource: object.resource, GroupVersionKind: object.kind})
		}
	}
	return mappings, nil
}

func (r *migrateReport) names() (names []string) {
	for _, result := range r.Results {
		for _, rule := range result.Rules {
			names = append(names, "clusterprojection."+v1.Domain+"/"+rule.Name)
		}
	}
	return names
}

func (r *migrateReport) print(w io.Writer) error {
	for i := range r.Results {
		if err := r.Results[i].Write(w); err != nil {
			return err
		}
	}
	if err := migrate.WriteSummary(w, r.Results); err != nil {
		return err
	}
	return migrate.WriteUnknown(w, r.Unknown)
}
