package cli

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// expiresSoon is how long before the end of the credentials of a RemoteCluster is a finding.
const expiresSoon = 7 * 24 * time.Hour

// remoteName is the name of a RemoteCluster that a finding is about.
type remoteName string

func (n remoteName) String() string { return "RemoteCluster " + string(n) }

func (n remoteName) fullName() string { return clusterInfo{Name: string(n)}.fullName() }

// checkClusters checks what the operator reports of the RemoteClusters. If it connects to none, nothing is asked.
func (f *findings) checkClusters(ctx context.Context, cluster *access.Cluster, settings access.Settings, rules []access.Rule, now time.Time) error {
	if settings.Known && !settings.RemoteClusters {
		return nil
	}
	remotes, err := cluster.RemoteClusters(ctx)
	switch {
	case errors.Is(err, access.ErrNoRemoteClusters):
		return nil
	case access.IsUnknown(err):
		f.Unknown = append(f.Unknown, "you may not list remoteclusters")
		return nil
	case err != nil:
		return err
	}
	for _, remote := range remotes {
		f.checkCluster(remote, clusterOf(remote, rulesOf(rules, remote.Name), settings), now)
	}
	return nil
}

// checkCluster checks what the operator reports of a RemoteCluster.
func (f *findings) checkCluster(remote *v1alpha1.RemoteCluster, info clusterInfo, now time.Time) {
	about := remoteName(remote.Name)
	switch {
	case info.Ready == string(metav1.ConditionFalse) && info.Reason != v1alpha1.ReasonPaused:
		f.add(codeClusterNotReady, about, info.Reason+": "+info.Message)
	case info.Ready == string(metav1.ConditionUnknown):
		f.add(codeClusterNotReady, about, "the operator has not reported the present generation of the RemoteCluster")
	}
	if info.expiresSoon(now) {
		message := "the credentials have ended"
		if left := info.CredentialsExpire.Sub(now); left > 0 {
			message = "the credentials end in " + duration.HumanDuration(left)
		}
		f.add(codeClusterExpires, about, message+": write a new kubeconfig into the Secret")
	}
	if orphans := int(remote.Status.Orphans); orphans > 0 {
		f.add(codeClusterOrphans, about, "there are copies of rules that do not exist: "+count(orphans, "object", "objects"))
	}
	for _, owed := range remote.Status.Owed {
		f.add(codeClusterOwed, about, "the "+owed.Rule+" was deleted, and has left copies there")
	}
}

// commandOnCluster returns the command that shows more of the problem of a RemoteCluster, or ends it.
func (f finding) commandOnCluster(name string) string {
	switch f.Code {
	case codeClusterOrphans, codeClusterOwed:
		return "kubectl projection orphans " + name + " --remote-context CONTEXT"
	default:
		return "kubectl projection clusters " + name
	}
}
