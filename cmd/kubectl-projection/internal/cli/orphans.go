package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
)

const orphansLong = `List the objects in another cluster that are copies of rules which do not exist, and delete them if you ask for it.

They are left where a rule was given up in a cluster, or was deleted while the operator could not reach it. The objects have the label
projection.sh/hub-<id> and the annotation projection.sh/owned-by-remote of this cluster. An object whose rule exists is not listed, also if the rule was
created again: the operator takes it over.

It reads both clusters with your own permissions: this one as always, and the other one by --remote-context or --remote-kubeconfig. The credentials of the
operator are not used. It ends if the other cluster is not the one that the status of the RemoteCluster identifies, and if you may not list the rules.

With --delete, it asks before it deletes. An object that has changed since it was listed stays.`

const orphansExample = `  # The objects in the cluster eu-1 whose rules do not exist
  kubectl projection orphans eu-1 --remote-context admin@eu-1

  # Only Secrets and Certificates, by another kubeconfig
  kubectl projection orphans eu-1 --remote-kubeconfig eu-1.kubeconfig --kinds secrets,certificates.cert-manager.io

  # Delete them, and ask before
  kubectl projection orphans eu-1 --remote-context admin@eu-1 --delete`

// orphan is an object in another cluster that is a copy of a rule that does not exist.
type orphan struct {
	Object forecast.Object `json:"object"`
	// Rule is the one that the object names.
	Rule    string      `json:"rule"`
	Created metav1.Time `json:"created"`
	// Deleted reports whether the object is being deleted already.
	Deleted bool `json:"deleted,omitempty"`

	listable access.Listable
	uid      types.UID
	version  string
}

// orphansReport are the orphans in a cluster.
type orphansReport struct {
	Cluster string   `json:"cluster"`
	Hub     string   `json:"hub"`
	Orphans []orphan `json:"orphans"`
	// Kept counts the objects with the mark of this cluster whose rule exists, and Unmarked those with the label that are copies of no rule, or of what this
	// version does not know.
	Kept     int `json:"kept"`
	Unmarked int `json:"unmarked,omitempty"`
	// Unknown says what could not be listed.
	Unknown []string `json:"unknown,omitempty"`
}

// orphansFlags are the flags of the command orphans.
type orphansFlags struct {
	context, kubeconfig  string
	kinds                []string
	isDeleted, isAgreed  bool
	dryRun, name, format string
}

func newOrphans(o *options) *cobra.Command {
	var out output
	var asked orphansFlags
	command := &cobra.Command{
		Use:               "orphans CLUSTER (--remote-context NAME | --remote-kubeconfig FILE)",
		Short:             "List the objects in another cluster whose rules do not exist",
		Long:              orphansLong,
		Example:           orphansExample,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: o.completeRemoteClusters,
		RunE: func(command *cobra.Command, args []string) error {
			asked.name, asked.format = args[0], out.format
			if err := errors.Join(out.validate(), checkDryRun(asked.dryRun), asked.validate()); err != nil {
				return err
			}
			return o.orphans(command.Context(), asked, &out)
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	addDryRun(command, &asked.dryRun)
	flags := command.Flags()
	flags.StringVar(&asked.context, "remote-context", "", "Context of the kubeconfig by which you reach the other cluster.")
	flags.StringVar(&asked.kubeconfig, "remote-kubeconfig", "", "Kubeconfig by which you reach the other cluster. Defaults to that of this cluster.")
	flags.StringSliceVar(&asked.kinds, "kinds", nil,
		"Types to list, as kubectl get takes them, separated by commas. Defaults to all that the other cluster lists.")
	flags.BoolVar(&asked.isDeleted, "delete", false, "If true, delete the objects.")
	flags.BoolVarP(&asked.isAgreed, "yes", "y", false, "If true, delete without asking.")
	cobra.CheckErr(command.RegisterFlagCompletionFunc("remote-context", o.completeContexts))
	return command
}

func (f orphansFlags) validate() error {
	switch {
	case !f.isDeleted && (f.isAgreed || f.dryRun != dryRunNone):
		return errors.New("--yes and --dry-run are for --delete")
	case f.isDeleted && f.format != "":
		return errors.New("--delete takes no -o")
	default:
		return nil
	}
}

// orphans lists the orphans in the cluster, and deletes them if the flags say so.
func (o *options) orphans(ctx context.Context, asked orphansFlags, out *output) error {
	hub, settings, err := o.connect(ctx)
	if err != nil {
		return err
	}
	remote, err := hub.RemoteCluster(ctx, asked.name)
	if err != nil {
		return err
	}
	there, err := o.reach(ctx, remote, asked)
	if err != nil {
		return err
	}
	id, err := hubIDOf(ctx, hub, settings)
	if err != nil {
		return err
	}
	found := &orphansReport{Cluster: remote.Name, Hub: id, Orphans: []orphan{}}
	if err := found.find(ctx, hub, there, asked.kinds); err != nil {
		return err
	}
	if asked.isDeleted {
		return o.deleteOrphans(ctx, there, found, asked)
	}
	return out.print(o.Out, report{kind: "Orphans", data: found, names: found.names(), text: func(w io.Writer) error { return found.print(w, out, o.now()) }})
}

// reach returns the other cluster, as the caller may use it, if it is the one that the RemoteCluster stands for.
func (o *options) reach(ctx context.Context, remote *v1alpha1.RemoteCluster, asked orphansFlags) (*access.Cluster, error) {
	flags := o.flags // of the cluster of the operator
	if asked.context != "" || asked.kubeconfig != "" {
		flags = genericclioptions.NewConfigFlags(true)
		flags.CacheDir, flags.Timeout, flags.KubeConfig, flags.Context = o.flags.CacheDir, o.flags.Timeout, o.flags.KubeConfig, &asked.context
		if asked.kubeconfig != "" {
			flags.KubeConfig = &asked.kubeconfig
		}
	} else if remote.Spec.Access.InCluster == nil {
		return nil, fmt.Errorf("say how you reach the cluster %s with --remote-context or --remote-kubeconfig: "+
			"the credentials of the operator are not used", remote.Name)
	}
	there, err := access.New(flags, o.userAgent())
	if err != nil {
		return nil, err
	}
	identity := remote.Status.Identity
	if identity == "" {
		return nil, fmt.Errorf("the status of RemoteCluster %s has no identity, since the operator has not reached the cluster: "+
			"nothing shows which one is meant", remote.Name)
	}
	found, err := identityOf(ctx, there)
	if err != nil {
		return nil, fmt.Errorf("find out which cluster it is: %w", err)
	}
	if found != identity {
		return nil, fmt.Errorf("this is another cluster than %s: the uid of its namespace kube-system is %s, and the status of the RemoteCluster has %s",
			remote.Name, found, identity)
	}
	return there, nil
}

// identityOf returns the uid of the namespace kube-system.
func identityOf(ctx context.Context, cluster *access.Cluster) (string, error) {
	system, err := cluster.Metadata.Resource(access.NamespaceResource).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(system.UID), nil
}

// hubIDOf returns the hub id of the operator in the cluster.
func hubIDOf(ctx context.Context, hub *access.Cluster, settings access.Settings) (string, error) {
	if settings.HubID != "" {
		return settings.HubID, nil
	}
	return identityOf(ctx, hub)
}

// names returns the objects, as kubectl get -o name has them.
func (r *orphansReport) names() []string {
	names := make([]string, len(r.Orphans))
	for i, found := range r.Orphans {
		names[i] = objectname.Argument(found.Object.GroupKind(), found.Object.Name)
	}
	return names
}

func (r *orphansReport) print(w io.Writer, out *output, now time.Time) error {
	rows := make([][]string, len(r.Orphans))
	for i, found := range r.Orphans {
		state := ""
		if found.Deleted {
			state = "being deleted"
		}
		rows[i] = []string{
			found.Object.Namespace, objectname.Argument(found.Object.GroupKind(), found.Object.Name), found.Rule, age(now, &found.Created), state, string(found.uid),
		}
	}
	if len(rows) > 0 {
		if err := out.table(w, columns("Namespace", "Object", "Rule", "Age", "State", "+UID"), rows); err != nil {
			return err
		}
	}
	if out.noHeaders {
		return nil
	}
	return r.printNotes(w)
}

// printNotes counts what was found, and says what is not known.
func (r *orphansReport) printNotes(w io.Writer) error {
	for _, unknown := range r.Unknown {
		if _, err := fmt.Fprintf(w, "%s: %s\n", unknownValue, unknown); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%s in the cluster %s, and %s of rules that exist", count(len(r.Orphans), "orphan", "orphans"), r.Cluster, count(r.Kept, "copy", "copies"))
	if r.Unmarked > 0 {
		text += ", and " + count(r.Unmarked, "object", "objects") + " with the label of copies that are none of its rules"
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// completeContexts completes the name of a context of the kubeconfig.
func (o *options) completeContexts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, err := o.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names := make([]cobra.Completion, 0, len(config.Contexts))
	for name := range config.Contexts {
		names = append(names, name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
