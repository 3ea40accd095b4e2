package cli

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/policy"
)

// leaseName is the name of the lease of an operator that reconciles all rules.
const leaseName = v1.Domain

// leases is the resource of leases.
var leases = coordinationv1.SchemeGroupVersion.WithResource("leases")

// Codes of findings. Each has a section in docs/reference/findings.md. A code is not used again for something else.
const (
	codeVersion     = "PR101"
	codeLease       = "PR102"
	codePermissive  = "PR103"
	codePermission  = "PR104"
	codeNotReady    = "PR201"
	codeUnreported  = "PR202"
	codeNotServed   = "PR203"
	codeNoNamespace = "PR204"
	codeSuspended   = "PR205"
	codeDeleted     = "PR206"
	codeRetained    = "PR207"
	codeOrphan      = "PR301"
	codeAmbiguous   = "PR302"
	codeReleased    = "PR303"

	codeClusterNotReady = "PR401"
	codeClusterExpires  = "PR402"
	codeClusterOrphans  = "PR403"
	codeClusterOwed     = "PR404"
)

// codes has the severity of each code.
var codes = map[string]severity{
	codeVersion: isWarning, codeLease: isError, codePermissive: isWarning, codePermission: isError,
	codeNotReady: isError, codeUnreported: isWarning, codeNotServed: isError, codeNoNamespace: isWarning, codeSuspended: isWarning,
	codeDeleted: isWarning, codeRetained: isWarning,
	codeOrphan: isError, codeAmbiguous: isError, codeReleased: isWarning,
	codeClusterNotReady: isError, codeClusterExpires: isWarning, codeClusterOrphans: isWarning, codeClusterOwed: isWarning,
}

// checkOperator checks the settings of the operator.
func (f *findings) checkOperator(settings access.Settings, version string) {
	if !settings.Known {
		f.Unknown = append(f.Unknown, "the settings of the operator (no ConfigMap projection-info that you may read)")
		return
	}
	if settings.Version != version && version != "unknown" {
		f.add(codeVersion, nil, "the operator has the version "+settings.Version+" and this plugin "+version+": its verdicts about contents can be wrong")
	}
	if settings.Mode == policy.Permissive {
		f.add(codePermissive, nil, "the source mode is permissive: rules may copy any object whose owner has not opted out")
	}
}

// checkLease checks that a replica of the operator leads. Without a lease, the operator may run without leader election.
func (f *findings) checkLease(ctx context.Context, cluster *access.Cluster, namespace string, now time.Time) error {
	object, err := cluster.Content.Resource(leases).Namespace(namespace).Get(ctx, leaseName, metav1.GetOptions{})
	switch {
	case access.IsUnknown(err):
		f.Unknown = append(f.Unknown, "whether a replica of the operator leads (you may not read leases in "+namespace+")")
		return nil
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	lease := &coordinationv1.Lease{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, lease); err != nil {
		return err
	}
	if !isHeld(lease.Spec, now) {
		f.add(codeLease, nil, "no replica of the operator leads: the lease "+namespace+"/"+leaseName+" is not renewed, so nothing is written")
	}
	return nil
}

// isHeld reports whether somebody holds the lease.
func isHeld(lease coordinationv1.LeaseSpec, now time.Time) bool {
	if lease.HolderIdentity == nil || *lease.HolderIdentity == "" || lease.RenewTime == nil || lease.LeaseDurationSeconds == nil {
		return false
	}
	return now.Before(lease.RenewTime.Add(time.Duration(*lease.LeaseDurationSeconds) * time.Second))
}

// checkRule checks what the operator reports of a rule, and what the rule asks for.
func (f *findings) checkRule(rule access.Rule, info ruleInfo) {
	switch {
	case info.NotServed:
		f.add(codeNotServed, info, "the operator does not reconcile the rule: its labels do not match --watch-label-selector")
	case info.Deleted:
		f.add(codeDeleted, info, "the rule is being deleted, and is still there: "+info.Reason+": "+info.Message)
	case info.Ready == string(metav1.ConditionUnknown):
		f.add(codeUnreported, info, "the operator has not reported the present generation of the rule")
	case rule.Spec.Suspended:
		f.add(codeSuspended, info, "the rule is suspended: nothing is written")
	case info.Ready == string(metav1.ConditionFalse):
		message := info.Reason + ": " + info.Message
		if info.Clusters != nil {
			message += "; " + info.clusters()
		}
		f.add(codeNotReady, info, message)
	case info.Reason == v1.ReasonNoMatchingNamespaces:
		f.add(codeNoNamespace, info, info.Message)
	}
	if rule.Spec.HasSecret() && len(rule.Spec.Policy.Retain) > 0 {
		f.add(codeRetained, info, "spec.policy.retain keeps copies of a Secret that nobody updates any more")
	}
}
