package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

const clustersLong = `List the RemoteClusters, or describe one.

RULES counts the rules whose source is in the cluster, and COPIES the copies of these rules, here, that are in sync. PUSHES counts the rules that copy into the
cluster, or may still have copies there. With a name, it prints the conditions of the RemoteCluster, the rules, and what the operator reports of their copies
in the cluster. It makes no request to the other cluster: all of it is what the operator reports.`

const clustersExample = `  # The RemoteClusters, and whether the operator can use them
  kubectl projection clusters

  # Why one of them is not ready, and which rules copy from and into it
  kubectl projection clusters eu-1`

// clusterInfo is what the operator reports of a RemoteCluster.
type clusterInfo struct {
	Name    string `json:"name"`
	Ready   string `json:"ready"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Version string `json:"version,omitempty"`
	// Identity is the uid of its namespace kube-system.
	Identity          string       `json:"identity,omitempty"`
	CredentialsExpire *metav1.Time `json:"credentialsExpire,omitempty"`
	// Secret has the kubeconfig; empty: it is the cluster of the operator.
	Secret string `json:"secret,omitempty"`
	// Rules are those that the caller may list and whose source is in the cluster.
	Rules []ruleInfo `json:"rules"`
	// Copies counts their copies that are in sync; nil: the operator has not counted them all.
	Copies *int64 `json:"copies,omitempty"`
	// Pushes are the rules that the caller may list and that copy into the cluster, or may still have copies there.
	Pushes []ruleInfo `json:"pushes,omitempty"`
	// CopiesThere counts the copies in the cluster, when it was last reached, and Orphans the objects there that are copies of no rule.
	CopiesThere int32 `json:"copiesThere,omitempty"`
	Orphans     int32 `json:"orphans,omitempty"`
	// Owed are the rules that were deleted, and have left copies there.
	Owed       []v1alpha1.OwedCopies `json:"owed,omitempty"`
	Created    metav1.Time           `json:"created"`
	Conditions []metav1.Condition    `json:"conditions,omitempty"`

	hidesRules bool
	remote     *v1alpha1.RemoteCluster
}

// clustersReport are RemoteClusters.
type clustersReport struct {
	// Served reports whether the operator connects to other clusters; nil: that is not known.
	Served   *bool         `json:"served,omitempty"`
	Clusters []clusterInfo `json:"clusters"`
	// Unknown are the resources of rules that the caller may not list.
	Unknown []string `json:"unknown,omitempty"`
}

func newClusters(o *options) *cobra.Command {
	var out output
	command := &cobra.Command{
		Use:               "clusters [NAME]",
		Short:             "List the RemoteClusters, or describe one",
		Long:              clustersLong,
		Example:           clustersExample,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: o.completeRemoteClusters,
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			found, err := o.clusters(command.Context(), args)
			if err != nil {
				return err
			}
			return out.print(o.Out, report{kind: "Clusters", data: found, names: found.names(), text: func(w io.Writer) error {
				if len(args) > 0 {
					return found.describe(w, &out, o.now())
				}
				return found.print(w, &out, o.now())
			}})
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	return command
}

// clusters returns the RemoteClusters that the arguments name, or all.
func (o *options) clusters(ctx context.Context, args []string) (*clustersReport, error) {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	var remotes []*v1alpha1.RemoteCluster
	if len(args) == 0 {
		remotes, err = cluster.RemoteClusters(ctx)
	} else {
		remotes = make([]*v1alpha1.RemoteCluster, 1)
		remotes[0], err = cluster.RemoteCluster(ctx, args[0])
	}
	if err != nil {
		return nil, err
	}
	rules, err := cluster.Rules(ctx, metav1.NamespaceAll, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return o.clustersReportOf(remotes, rules, settings), nil
}

// clustersReportOf returns what the operator reports of the RemoteClusters, and the rules that name or select them.
func (o *options) clustersReportOf(remotes []*v1alpha1.RemoteCluster, rules access.Rules, settings access.Settings) *clustersReport {
	found := &clustersReport{Clusters: make([]clusterInfo, len(remotes)), Unknown: rules.Unknown}
	if settings.Known {
		found.Served = &settings.RemoteClusters
	}
	for i, remote := range remotes {
		found.Clusters[i] = clusterOf(remote, rulesOf(rules.Items, remote.Name), settings)
		for _, rule := range pushesInto(rules.Items, remote) {
			found.Clusters[i].Pushes = append(found.Clusters[i].Pushes, infoOf(rule, settings))
		}
		found.Clusters[i].hidesRules = len(rules.Unknown) > 0
		if secret := found.Clusters[i].Secret; secret != "" {
			found.Clusters[i].Secret = o.namespaceOfOperator(settings) + "/" + secret
		}
	}
	return found
}

// clusterOf returns what the operator reports of the RemoteCluster and of its rules.
func clusterOf(remote *v1alpha1.RemoteCluster, rules []access.Rule, settings access.Settings) clusterInfo {
	info := clusterInfo{
		Name: remote.Name, Ready: string(metav1.ConditionUnknown), Version: remote.Status.Version, Identity: remote.Status.Identity,
		CredentialsExpire: remote.Status.CredentialsExpire, Created: remote.CreationTimestamp, Conditions: remote.Status.Conditions,
		Rules: make([]ruleInfo, len(rules)), Copies: new(int64), remote: remote,
		CopiesThere: remote.Status.Copies, Orphans: remote.Status.Orphans, Owed: remote.Status.Owed,
	}
	if named := remote.Spec.Access.Kubeconfig; named != nil {
		info.Secret = named.Secret
	}
	if ready := meta.FindStatusCondition(remote.Status.Conditions, v1alpha1.ConditionReady); ready != nil {
		info.Ready, info.Reason, info.Message = string(ready.Status), ready.Reason, ready.Message
		if ready.ObservedGeneration != remote.Generation {
			info.Ready = string(metav1.ConditionUnknown)
		}
	}
	for i, rule := range rules {
		info.Rules[i] = infoOf(rule, settings)
		switch inSync := info.Rules[i].InSync; {
		case info.Copies == nil:
		case inSync == nil || info.Rules[i].hasNamespaces && *inSync > 0:
			info.Copies = nil
		default:
			*info.Copies += int64(*inSync)
		}
	}
	return info
}

// fullName names the RemoteCluster as kubectl get -o name does.
func (i clusterInfo) fullName() string {
	return "remotecluster." + v1alpha1.GroupVersion.Group + "/" + i.Name
}

// names returns the RemoteClusters, as kubectl get -o name has them.
func (r *clustersReport) names() []string {
	names := make([]string, len(r.Clusters))
	for i, info := range r.Clusters {
		names[i] = info.fullName()
	}
	return names
}
