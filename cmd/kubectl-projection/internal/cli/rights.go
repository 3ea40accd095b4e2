package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/rights"
)

const rightsLong = `Print what the operator may do in another cluster, as YAML for that cluster.

It prints a service account with the least permissions that the operator needs there, for the rules and PublishedResources that name the RemoteCluster
as they are now. What the RemoteCluster does not permit is left out, and named in a comment. Print it again and apply it when rules of other kinds have
been added.`

const rightsExample = `  # Give the operator an account in the other cluster, whose context is eu-1
  kubectl projection rights eu-1 | kubectl --context=eu-1 apply -f -

  # As one of several hubs of that cluster
  kubectl projection rights eu-1 --service-account=hub-berlin`

const defaultAccount = "projection-hub"

// rightsReport is what the operator needs in a RemoteCluster.
type rightsReport struct {
	remote  *v1alpha1.RemoteCluster
	account rights.Account
	grants  []rights.Grant
	// secretNamespace is where the kubeconfig is.
	secretNamespace string
	// rules and published name the RemoteCluster, and leftOut say why some of them get nothing.
	rules, published, leftOut []string
	// guessed are kinds that this cluster does not serve.
	guessed []string
	// unknown are the resources of rules that the caller may not list.
	unknown []string
}

func newRights(o *options) *cobra.Command {
	var out output
	var account string
	command := &cobra.Command{
		Use:               "rights NAME",
		Short:             "Print what the operator has to be permitted in another cluster",
		Long:              rightsLong,
		Example:           rightsExample,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: o.completeRemoteClusters,
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			if wrong := validation.IsDNS1123Subdomain(account); len(wrong) > 0 {
				return fmt.Errorf("--service-account: %q cannot be the name of a service account", account)
			}
			found, err := o.rights(command.Context(), args[0], account)
			if err != nil {
				return err
			}
			return found.print(o.Out)
		},
	}
	out.addFlags(command, formatYAML)
	command.Flags().StringVar(&account, "service-account", defaultAccount, "Name of the service account there. Each hub of a cluster needs another one.")
	return command
}

func (o *options) rights(ctx context.Context, name, account string) (*rightsReport, error) {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	remote, err := cluster.RemoteCluster(ctx, name)
	if err != nil {
		return nil, err
	}
	if remote.Spec.Access.Kubeconfig == nil {
		return nil, fmt.Errorf("RemoteCluster %s is the cluster of the operator, whose permissions there come with its installation: name another one", name)
	}
	found := &rightsReport{
		remote: remote, account: rights.Account{Namespace: rights.Home(remote), Name: account}, secretNamespace: o.namespaceOfOperator(settings),
	}
	rules, err := cluster.Rules(ctx, metav1.NamespaceAll, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	found.unknown = rules.Unknown
	uses, err := found.pulls(ctx, cluster, rulesOf(rules.Items, name))
	if err != nil {
		return nil, err
	}
	uses = append(uses, found.pushes(pushesInto(rules.Items, remote))...)
	resolve := found.resolver(cluster.Mapper)
	published, err := found.publications(ctx, cluster, resolve)
	if err != nil {
		return nil, err
	}
	found.grants = rights.For(remote, resolve, uses, published...)
	return found, nil
}

// pulls returns what the rules do whose source is in the RemoteCluster.
func (r *rightsReport) pulls(ctx context.Context, cluster *access.Cluster, rules []access.Rule) (uses []rights.Use, err error) {
	for _, rule := range rules {
		why, err := whyLeftOut(ctx, cluster, r.remote, rule)
		switch {
		case err != nil:
			return nil, err
		case why != "":
			r.leftOut = append(r.leftOut, rule.String()+": "+why)
		default:
			r.rules = append(r.rules, rule.String())
			uses = append(uses, useOf(rule))
		}
	}
	return uses, nil
}

// pushes returns what the rules do that copy into the RemoteCluster.
func (r *rightsReport) pushes(rules []access.Rule) (uses []rights.Use) {
	for _, rule := range rules {
		permitted := false
		for _, use := range pushesOf(rule, r.remote.Name) {
			if use.IsWithin(r.remote) {
				permitted, uses = true, append(uses, use)
			}
		}
		if !permitted {
			r.leftOut = append(r.leftOut, rule.String()+": "+outOfScope)
		} else if named := rule.String(); !slices.Contains(r.rules, named) {
			r.rules = append(r.rules, named)
		}
	}
	return uses
}

// pushesInto returns the rules that copy into the RemoteCluster or may have copies there, in the order of their names.
func pushesInto(rules []access.Rule, remote *v1alpha1.RemoteCluster) []access.Rule {
	into := slices.DeleteFunc(slices.Clone(rules), func(rule access.Rule) bool { return !rule.CopiesInto(remote) })
	slices.SortFunc(into, func(a, b access.Rule) int {
		return compareRules(infoOf(a, access.Settings{}), infoOf(b, access.Settings{}))
	})
	return into
}

// pushesOf returns what the rule does with copies in the RemoteCluster: it writes those of its kind, and deletes those of kinds that it had before. The
// namespaces and the names of the copies can change, so the operator has to be permitted all within the scope.
func pushesOf(rule access.Rule, remote string) []rights.Use {
	kinds := []schema.GroupKind{rule.Spec.KindOfCopies()}
	if slices.Contains(rule.WrittenClusters(), remote) {
		for _, written := range access.Listed(rule.Object.GetAnnotations()[v1.AnnotationWrittenKinds]) {
			if kind := schema.ParseGroupKind(written); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	uses := make([]rights.Use, len(kinds))
	for i, kind := range kinds {
		uses[i] = rights.Use{Direction: v1alpha1.Push, Kind: kind, CreatesNamespaces: rule.CreatesNamespaces()}
	}
	return uses
}

// rulesOf returns the rules whose source is in the RemoteCluster, in the order of their names.
func rulesOf(rules []access.Rule, remote string) []access.Rule {
	of := slices.DeleteFunc(slices.Clone(rules), func(rule access.Rule) bool { return rule.SourceCluster != remote })
	slices.SortFunc(of, func(a, b access.Rule) int {
		return compareRules(infoOf(a, access.Settings{}), infoOf(b, access.Settings{}))
	})
	return of
}

func useOf(rule access.Rule) rights.Use {
	source := rule.Spec.Source
	return rights.Use{
		Direction: v1alpha1.Pull, RuleNamespace: rule.Namespace, Kind: source.GroupKind(), Namespace: source.Namespace, Name: source.Name,
	}
}

const outOfScope = "spec.scope or spec.impersonate of the RemoteCluster does not permit it"

// whyLeftOut says why the RemoteCluster does not permit the rule; empty: it does. It counts for nothing that a rule asks for which nobody permits.
func whyLeftOut(ctx context.Context, cluster *access.Cluster, remote *v1alpha1.RemoteCluster, rule access.Rule) (string, error) {
	if use := useOf(rule); !use.IsWithin(remote) {
		return outOfScope, nil
	}
	if !rule.Kind.Namespaced {
		return "", nil
	}
	const notAllowed = "spec.allowedNamespaces of the RemoteCluster does not select its namespace"
	if remote.Spec.AllowedNamespaces == nil {
		return notAllowed, nil
	}
	namespace, err := cluster.Metadata.Resource(access.NamespaceResource).Get(ctx, rule.Namespace, metav1.GetOptions{})
	switch {
	case access.IsUnknown(err):
		return unknownValue + ": you may not read its namespace, which spec.allowedNamespaces of the RemoteCluster has to select", nil
	case apierrors.IsNotFound(err):
		return notAllowed, nil
	case err != nil:
		return "", err
	}
	selector, err := metav1.LabelSelectorAsSelector(remote.Spec.AllowedNamespaces.LabelSelector())
	if err != nil {
		return "", fmt.Errorf("spec.allowedNamespaces of RemoteCluster %s: %w", remote.Name, err)
	}
	if selector.Matches(labels.Set(namespace.Labels)) {
		return "", nil
	}
	return notAllowed, nil
}

// resolver returns the resources as which this cluster serves kinds. Of a kind that it does not serve, the name is a guess.
func (r *rightsReport) resolver(mapper meta.RESTMapper) rights.Resolver {
	return func(kind schema.GroupKind) schema.GroupResource {
		if mapping, err := mapper.RESTMapping(kind); err == nil {
			return mapping.Resource.GroupResource()
		}
		plural, _ := meta.UnsafeGuessKindToResource(kind.WithVersion(""))
		guessed := plural.GroupResource()
		if text := kind.String() + " as " + guessed.String(); !slices.Contains(r.guessed, text) {
			r.guessed = append(r.guessed, text)
		}
		return guessed
	}
}

// namespaceOfOperator returns where the Secrets of RemoteClusters are.
func (o *options) namespaceOfOperator(settings access.Settings) string {
	if settings.Namespace != "" {
		return settings.Namespace
	}
	return o.operatorNamespace
}

// completeRemoteClusters completes the name of a RemoteCluster.
func (o *options) completeRemoteClusters(command *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cluster, err := access.New(o.flags, o.userAgent())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	remotes, err := cluster.RemoteClusters(command.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]cobra.Completion, len(remotes))
	for i, remote := range remotes {
		names[i] = remote.Name
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
