package cli

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// print lists the RemoteClusters.
func (r *clustersReport) print(w io.Writer, out *output, now time.Time) error {
	rows := make([][]string, len(r.Clusters))
	for i, info := range r.Clusters {
		rows[i] = []string{
			info.Name, info.Ready, cmp.Or(info.Reason, "-"), cmp.Or(info.Version, "-"), info.rules(), info.copies(), info.pushes(),
			age(now, &info.Created), strconv.Itoa(int(info.CopiesThere)), cmp.Or(info.credentials(now), "-"), info.Message,
		}
	}
	if len(rows) == 0 {
		if _, err := fmt.Fprintln(w, "There are no RemoteClusters."); err != nil {
			return err
		}
	} else if err := out.table(w, columnsOfClusters, rows); err != nil {
		return err
	}
	return r.printNotes(w)
}

var columnsOfClusters = columns("Name", "Ready", "Reason", "Version", "Rules", "Copies", "Pushes", "Age",
	"+Copies-There", "+Credentials", "+Message")

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
	_, err := fmt.Fprintln(w, operatorConnectsNowhere)
	return err
}

// operatorConnectsNowhere says why nothing is reported of RemoteClusters.
const operatorConnectsNowhere = "The operator runs without --remote-clusters: it connects to no other cluster."

// state says in a line what the operator reports.
func (i clusterInfo) state() string {
	if i.Reason == "" {
		return "Ready=" + i.Ready
	}
	return "Ready=" + i.Ready + ", " + i.Reason
}

// describe prints one RemoteCluster with its conditions and rules.
func (r *clustersReport) describe(w io.Writer, out *output, now time.Time) error {
	info := r.Clusters[0]
	err := lines(w,
		[2]string{"RemoteCluster", info.Name}, [2]string{"Status", info.state()}, [2]string{"Because", info.because()}, [2]string{"Next", info.next()},
		[2]string{"Version", info.Version}, [2]string{"Identity", info.Identity}, [2]string{"Kubeconfig", info.kubeconfig()},
		[2]string{"Credentials", info.credentials(now)}, [2]string{"Namespaces", info.namespaces()},
		[2]string{"Rules", info.rules()}, [2]string{"Copies", info.copies()}, [2]string{"Pushes", info.pushes()},
		[2]string{"Copies there", info.copiesThere()}, [2]string{"Orphans", info.orphans()}, [2]string{"Owed", info.owed()},
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
	for _, group := range []struct {
		title string
		rules []ruleInfo
	}{
		{"Rules whose source is in the cluster:", info.Rules},
		{"Rules that copy into the cluster:", info.Pushes},
	} {
		if len(group.rules) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s\n", group.title); err != nil {
			return err
		}
		if err := printRules(w, out, group.rules, now); err != nil {
			return err
		}
	}
	if err := info.printFailures(w); err != nil {
		return err
	}
	return r.printNotes(w)
}

// failureThere is what the operator reports of the copies of a rule in a cluster.
type failureThere struct {
	rule ruleInfo
	v1.ClusterFailure
}

// failures returns what the operator reports of the copies in the cluster.
func (i clusterInfo) failures() (found []failureThere) {
	for _, rule := range i.Pushes {
		for _, failure := range failuresIn(rule.ClusterFailures, i.Name, "") {
			found = append(found, failureThere{rule, failure})
		}
	}
	return found
}

// printFailures lists what the operator reports of the copies in the cluster.
func (i clusterInfo) printFailures(w io.Writer) error {
	failures := i.failures()
	if len(failures) == 0 {
		return nil
	}
	rows := make([][]string, len(failures))
	for n, failure := range failures {
		rows[n] = []string{failure.rule.argument(), failure.Namespace, failure.Reason, failure.Message}
	}
	if _, err := fmt.Fprintln(w, "\nReported of copies in the cluster:"); err != nil {
		return err
	}
	return (&output{}).table(w, columns("Rule", "Namespace", "Reason", "Message"), rows)
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

func (i clusterInfo) copiesThere() string {
	if i.CopiesThere == 0 {
		return ""
	}
	return strconv.Itoa(int(i.CopiesThere)) + ", when it was last reached"
}

// orphans says how many objects there are copies of no rule, and how to find them.
func (i clusterInfo) orphans() string {
	if i.Orphans == 0 {
		return ""
	}
	return count(int(i.Orphans), "object", "objects") + ": kubectl projection orphans " + i.Name + " --remote-context CONTEXT lists them"
}

// owed names the rules that were deleted, and have left copies there.
func (i clusterInfo) owed() string {
	rules := make([]string, len(i.Owed))
	for n, owed := range i.Owed {
		rules[n] = owed.Rule + " (" + strings.Join(owed.Kinds, ", ") + ")"
	}
	return strings.Join(rules, ", ")
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

// expiresSoon reports whether they end within days, or have ended.
func (i clusterInfo) expiresSoon(now time.Time) bool {
	return i.CredentialsExpire != nil && i.CredentialsExpire.Sub(now) < expiresSoon
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
