package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

const doctorLong = `Look for problems of the operator, the rules and the copies.

Each finding has a code, which docs/reference/findings.md explains. It reads with your own permissions: a check that needs more is printed with "?", and is no
finding. Nothing is written.

It ends with 0 if there are no findings, with 1 if there are some, and with 2 if it fails.`

const doctorExample = `  # All findings
  kubectl projection doctor

  # Without suspended rules, and without rules that match no namespace
  kubectl projection doctor --ignore=PR205,PR204

  # May the operator copy Deployments, too?
  kubectl projection doctor --kinds=deployments.apps

  # The codes, for programs
  kubectl projection doctor -o json`

// severity says how bad a finding is.
type severity string

const (
	isError   severity = "error"   // something does not work
	isWarning severity = "warning" // something may not be meant
)

// finding is a problem.
type finding struct {
	Code     string   `json:"code"`
	Severity severity `json:"severity"`
	// Object is what the finding is about, if it is one.
	Object  string `json:"object,omitempty"`
	Message string `json:"message"`

	// name is what kubectl get -o name prints of the object.
	name string
	// about is the object, if it is one.
	about subject
}

// subject is an object that a finding is about.
type subject interface {
	fmt.Stringer
	fullName() string
}

// findings are the problems that were found.
type findings struct {
	Findings []finding `json:"findings"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	// Unknown says what was not checked.
	Unknown []string `json:"unknown,omitempty"`

	ignored []string
	// uids are those of the rules that the caller may list. There may be others if hidesRules reports so.
	uids       map[string]bool
	hidesRules bool
}

func (f *findings) add(code string, about subject, message string) {
	if slices.Contains(f.ignored, code) {
		return
	}
	found := finding{Code: code, Severity: codes[code], Message: message, about: about}
	if about != nil {
		found.Object, found.name = about.String(), about.fullName()
	}
	if found.Severity == isError {
		f.Errors++
	} else {
		f.Warnings++
	}
	f.Findings = append(f.Findings, found)
}

func newDoctor(o *options) *cobra.Command {
	var out output
	var ignored, kinds []string
	command := &cobra.Command{
		Use:     "doctor",
		Short:   "Look for problems of the operator, the rules and the copies",
		Long:    doctorLong,
		Example: doctorExample,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			for _, code := range ignored {
				if codes[code] == "" {
					return fmt.Errorf("there is no code %q", code)
				}
			}
			found, err := o.doctor(command.Context(), metav1.NamespaceAll, ignored, kinds, &reviews{now: o.now})
			if err != nil {
				return err
			}
			err = out.print(o.Out, report{kind: "Findings", data: found, names: found.names(), text: func(w io.Writer) error { return found.print(w, &out) }})
			if err == nil && len(found.Findings) > 0 {
				err = errFound
			}
			return err
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	command.Flags().StringSliceVar(&ignored, "ignore", nil, "Codes of findings to leave out, separated by commas.")
	command.Flags().StringSliceVar(&kinds, "kinds", nil, "More types that the operator shall be able to copy, as kubectl get takes them, separated by commas.")
	return command
}

// doctor checks the rules and copies of a namespace or of all, and all ClusterProjections.
func (o *options) doctor(ctx context.Context, namespace string, ignored, kinds []string, reviews *reviews) (*findings, error) {
	found := &findings{Findings: []finding{}, ignored: ignored}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	rules, err := cluster.Rules(ctx, namespace, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	found.checkOperator(settings, o.version)
	if settings.Selector != "" { // the name of the lease depends on the selector
		found.Unknown = append(found.Unknown, "whether a replica of the operator leads, which serves rules by a selector")
	} else if err := found.checkLease(ctx, cluster, o.operatorNamespace, o.now()); err != nil {
		return nil, err
	}
	if err := found.checkPermissions(ctx, cluster, reviews, o.operatorNamespace, rules.Items, kinds); err != nil {
		return nil, err
	}
	for _, resource := range rules.Unknown {
		found.Unknown = append(found.Unknown, "you may not list "+resource)
	}
	slices.SortFunc(rules.Items, func(a, b access.Rule) int { return compareRules(infoOf(a, settings), infoOf(b, settings)) })
	for _, rule := range rules.Items {
		found.checkRule(rule, infoOf(rule, settings))
	}
	if err := found.checkClusters(ctx, cluster, settings, rules.Items, o.now()); err != nil {
		return nil, err
	}
	err = found.checkCopies(ctx, cluster, rules, namespace)
	return found, err
}

// names returns the objects of the findings, each once.
func (f *findings) names() (names []string) {
	for _, found := range f.Findings {
		if found.name != "" && !slices.Contains(names, found.name) {
			names = append(names, found.name)
		}
	}
	return names
}

func (f *findings) print(w io.Writer, out *output) error {
	rows := make([][]string, len(f.Findings))
	for i, found := range f.Findings {
		rows[i] = []string{found.Code, string(found.Severity), found.Object, found.Message}
	}
	if len(rows) > 0 {
		if err := out.table(w, columns("Code", "Severity", "Object", "Message"), rows); err != nil {
			return err
		}
	}
	for _, unknown := range f.Unknown {
		if _, err := fmt.Fprintf(w, "%s: %s\n", unknownValue, unknown); err != nil {
			return err
		}
	}
	if out.noHeaders {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s, %s\n", count(f.Errors, "error", "errors"), count(f.Warnings, "warning", "warnings"))
	return err
}
