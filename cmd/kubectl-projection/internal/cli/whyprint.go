package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
)

func (r objectReport) report(now time.Time) report {
	return report{kind: "Why", data: r, text: func(out io.Writer) error { return r.print(out, now) }}
}

func (r objectReport) print(out io.Writer, now time.Time) error {
	pairs := [][2]string{{"Object", r.Object.String()}, {"State", r.state()}}
	if r.Rule != nil {
		rule := r.Rule.String() + ", " + r.Rule.state()
		if r.Orphan {
			rule = r.Rule.String() + ", which does not exist"
		}
		pairs = append(pairs, [2]string{"Rule", rule})
	}
	if r.Source != nil {
		pairs = append(pairs, [2]string{"Source", r.Source.String()}, [2]string{"Layers", strings.Join(r.Layers, ", ")})
	}
	if r.Written != nil {
		pairs = append(pairs, [2]string{"Written", duration.HumanDuration(now.Sub(r.Written.Time)) + " ago"})
	}
	pairs = append(pairs, [2]string{"Also by", strings.Join(r.OtherWriters, ", ")}, [2]string{"Consent", r.Consent}, [2]string{"Next", r.next()})
	if err := lines(out, pairs...); err != nil {
		return err
	}
	return r.printReaders(out)
}

// state says what the object is, in a line.
func (r objectReport) state() string {
	switch r.State {
	case isCopy:
		return r.stateOfCopy()
	case isElsewhere:
		return "no copy: its annotations are those of a copy at another place, from which somebody has made it"
	case isAmbiguous:
		return "no copy: it names two rules as its owner"
	case isRemote:
		return "copy, written from another cluster: " + remoteRule(r.Remote)
	case isReleased:
		return "no copy any more: somebody took the annotation of its rule off"
	case isUnknown:
		return unknownValue + " (you may not read it; rules that select it by labels are not known)"
	default:
		return "no copy"
	}
}

func (r objectReport) stateOfCopy() string {
	switch {
	case r.Orphan:
		return "copy, orphaned"
	case r.Verdict == nil || r.Verdict.State == forecast.Unknown:
		return "copy; whether it is in sync: " + unknownValue
	case r.Verdict.State == forecast.InSync:
		return "copy, in sync"
	}
	state := "copy, " + string(r.Verdict.State)
	if r.Verdict.Reason != "" {
		state += ", " + r.Verdict.Reason
	}
	if r.Verdict.Message != "" {
		state += ": " + r.Verdict.Message
	}
	return state
}

// next says what to do.
func (r objectReport) next() string {
	switch {
	case r.State == isRemote:
		return "to change the copy, edit its source, in the cluster of that rule; the operator of this cluster leaves the object alone"
	case r.Orphan:
		return "nobody keeps the object in sync: delete it, or create the rule again"
	case r.Verdict != nil && r.Verdict.Next != "":
		return r.Verdict.Next
	case r.Source != nil && r.Source.Cluster != "":
		return "to change the copy, edit its source, which is in the cluster " + r.Source.Cluster
	case r.Source != nil && r.Verdict != nil && r.Verdict.State != forecast.NotTarget:
		return fmt.Sprintf("to change the copy, edit its source: kubectl edit %s -n %s", objectname.Argument(r.Source.GroupKind(), r.Source.Name), r.Source.Namespace)
	default:
		return ""
	}
}

func (r objectReport) printReaders(out io.Writer) error {
	if len(r.CopiedBy) == 0 && len(r.Unknown) == 0 {
		if r.State != isNoCopy {
			return nil
		}
		_, err := fmt.Fprintln(out, "\nNo rule copies it.")
		return err
	}
	if len(r.CopiedBy) == 0 {
		_, err := fmt.Fprintf(out, "\nCopied by: %s\n", r.hidden())
		return err
	}
	rows := make([][]string, len(r.CopiedBy))
	for i, rule := range r.CopiedBy {
		rows[i] = []string{rule.Namespace, rule.argument(), rule.copies(), rule.Ready, rule.Reason}
	}
	if _, err := fmt.Fprintln(out, "\nCopied by:"); err != nil {
		return err
	}
	if err := (&output{}).table(out, columns("Namespace", "Rule", "In-Sync", "Ready", "Reason"), rows); err != nil || len(r.Unknown) == 0 {
		return err
	}
	_, err := fmt.Fprintln(out, r.hidden())
	return err
}

// hidden says which rules the caller may not list.
func (r objectReport) hidden() string {
	return unknownValue + " (you may not list " + strings.Join(r.Unknown, " and ") + ")"
}
