package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"projection.sh/operator/api/v1alpha1"
)

// print lists the RemoteClusters.
func (r *clustersReport) print(w io.Writer, out *output, now time.Time) error {
	rows := make([][]string, len(r.Clusters))
	for i, info := range r.Clusters {
		rows[i] = []string{
			info.Name, info.Ready, cmp.Or(info.Reason, "-"), cmp.Or(info.Version, "-"), info.rules(), info.copies(), info.pushes(),
			age(now, &info.Created), info.Message,
		}
	}
	if len(rows) == 0 {
		if _, err := fmt.Fprintln(w, "There are no RemoteClusters."); err != nil {
			return err
		}
	} else if err := out.table(w, columns("Name", "Ready", "Reason", "Version", "Rules", "Copies", "Pushes", "Age", "+Message"), rows); err != nil {
		return err
	}
	return r.printNotes(w)
}

// printNotes says what else there is to know.
func (r *clustersReport) printNotes(w io.Writer) error {
	for _, resource := range r.Unknown {
		if _, err := fmt.Fprintf(w, "%s: you may not list %s\n", unknownValue, resource); err != nil {
			return err
		}
	}
	if r.Served == nil || *r.Served {
		return nil
	}
	_, err := fmt.Fprintln(w, "The operator runs without --remote-clusters: it connects to no other cluster.")
	return err
}

// describe prints one RemoteCluster with its conditions and rules.
func (r *clustersReport) describe(w io.Writer, out *output, now time.Time) error {
	info := r.Clusters[0]
	state := "Ready=" + info.Ready
	if info.Reason != "" {
		state += ", " + info.Reason
	}
	err := lines(w,
		[2]string{"RemoteCluster", info.Name}, [2]string{"Status", state}, [2]string{"Because", info.because()}, [2]string{"Next", info.next()},
		[2]string{"Version", info.Version}, [2]string{"Identity", info.Identity}, [2]string{"Kubeconfig", info.kubeconfig()},
		[2]string{"Credentials", info.credentials(now)}, [2]string{"Namespaces", info.namespaces()},
		[2]string{"Rules", info.rules()}, [2]string{"Copies", info.copies()}, [2]string{"Pushes", info.pushes()},
	)
	if err != nil {
		return err
	}
	if len(info.Conditions) > 0 {
		rows := make([][]string, len(info.Conditions))
		for i, condition := range info.Conditions {
			rows[i] = []string{condition.Type, string(condition.Status), condition.Reason, age(now, &condition.LastTransitionTime), condition.Message}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := (&output{}).table(w, columns("Condition", "Status", "Reason", "Since", "Message"), rows); err != nil {
			return err
		}
	}
	for _, rules := range [][]ruleInfo{info.Rules, info.Pushes} {
		if len(rules) == 0 {
			continue
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := printRules(w, out, rules, now); err != nil {
			return err
		}
	}
	return r.printNotes(w)
}

// because is the message of the condition Ready, unless all is well.
func (i clusterInfo) because() string {
	if i.Ready == string(metav1.ConditionTrue) {
		return ""
	}
	return cmp.Or(i.Message, "the operator has not reported it yet")
}

// next says what to do, besides what the message says.
func (i clusterInfo) next() string {
	switch {
	case i.Ready == string(metav1.ConditionTrue):
		return ""
	case i.Reason == v1alpha1.ReasonPermissionsMissing || i.Reason == v1alpha1.ReasonUnauthorized:
		return "kubectl projection rights " + i.Name + " prints the permissions and the account that the operator needs there"
	default:
		return reasons()[i.Reason]
	}
}

func (i clusterInfo) rules() string {
	if i.hidesRules {
		return unknownValue
	}
	return strconv.Itoa(len(i.Rules))
}

func (i clusterInfo) copies() string {
	if i.hidesRules {
		return unknownValue
	}
	return numberOr(i.Copies, unknownValue)
}

func (i clusterInfo) pushes() string {
	if i.hidesRules {
		return unknownValue
	}
	return strconv.Itoa(len(i.Pushes))
}

func (i clusterInfo) kubeconfig() string {
	if i.Secret == "" {
		return "none: it is the cluster of the operator"
	}
	return "Secret " + i.Secret
}

// credentials says when they end.
func (i clusterInfo) credentials(now time.Time) string {
	if i.CredentialsExpire == nil {
		return ""
	}
	at := i.CredentialsExpire.UTC().Format(time.RFC3339)
	if left := i.CredentialsExpire.Sub(now); left > 0 {
		return "end at " + at + ", in " + duration.HumanDuration(left)
	}
	return "ended at " + at
}

// namespaces says whose Projections may have their source in the cluster.
func (i clusterInfo) namespaces() string {
	const of = "Projections may have their source in it: "
	selector := i.remote.Spec.AllowedNamespaces
	switch {
	case selector == nil:
		return of + "none"
	case len(selector.MatchLabels) == 0 && len(selector.MatchExpressions) == 0:
		return of + "those of all namespaces"
	default:
		return of + "those of namespaces with " + metav1.FormatLabelSelector(selector.LabelSelector())
	}
}
