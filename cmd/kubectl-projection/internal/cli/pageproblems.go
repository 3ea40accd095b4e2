package cli

import (
	"net/http"

	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// problems shows what doctor prints, by reason, with a command for each finding.
func (p pages) problems(r *http.Request) (ui.Page, error) {
	found, err := p.doctor(r.Context(), p.scope, nil, nil, p.reviews)
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{
		Title: "Problems", Lead: count(found.Errors, "error", "errors") + ", " + count(found.Warnings, "warning", "warnings"), Tone: ui.Good,
		Facts:   []ui.Fact{ui.Named("In a terminal", ui.Command("kubectl projection doctor"))},
		Unknown: found.Unknown,
		Listing: &ui.Listing{
			Title: "Findings", Empty: "There are no findings.", Columns: ui.Columns("Code", "Object", "Message", "Command"),
			Note: "The reference of findings has a section for each code.",
		},
	}
	switch {
	case found.Errors > 0:
		page.Tone = ui.Bad
	case len(found.Findings) > 0:
		page.Tone = ui.Waiting
	case len(found.Unknown) > 0:
		page.Tone = ui.Unknown
	}
	for _, severity := range []severity{isError, isWarning} {
		for _, finding := range found.Findings {
			if finding.Severity == severity {
				page.Listing.Rows = append(page.Listing.Rows, rowOfFinding(finding, p.operatorNamespace))
			}
		}
	}
	return page, nil
}

func rowOfFinding(found finding, operatorNamespace string) ui.Row {
	row := ui.Row{Group: found.Code, Tone: ui.Waiting}
	if found.Severity == isError {
		row.Tone = ui.Bad
	}
	about := ui.Cell{Text: found.Object}
	switch object := found.about.(type) {
	case ruleInfo:
		about.Link = object.path()
		if found.Code == codeNotReady {
			row.Group = object.Reason
		}
	case copied:
		about.Link = objectPath(object.Object)
	case remoteName:
		about.Link = clusterPath(string(object))
	}
	row.Cells = []ui.Cell{{Text: found.Code, Tone: row.Tone}, about, ui.Text(found.Message), ui.Command(found.command(operatorNamespace))}
	return row
}

// command returns the command that shows more of the problem, or ends it.
func (f finding) command(operatorNamespace string) string {
	switch object := f.about.(type) {
	case ruleInfo:
		return f.commandOn(object) + object.inNamespace()
	case copied:
		if !objectname.IsValid(object.Name) { // a shell would take it for something else
			return ""
		}
		argument := objectname.Argument(object.GroupKind(), object.Name) + " -n " + object.Namespace
		if f.Code == codeOrphan {
			return "kubectl projection release " + argument
		}
		return "kubectl edit " + argument
	case remoteName:
		return f.commandOnCluster(string(object))
	}
	switch f.Code {
	case codeVersion:
		return "kubectl projection version"
	case codePermissive:
		return "kubectl projection consents -A"
	default:
		return "kubectl get pods -n " + operatorNamespace
	}
}

func (f finding) commandOn(rule ruleInfo) string {
	switch f.Code {
	case codeNotReady:
		return "kubectl projection tree " + rule.argument()
	case codeNotServed:
		return "kubectl get " + rule.argument() + " --show-labels"
	case codeNoNamespace:
		return "kubectl projection plan " + rule.argument() + " --set-selector KEY=VALUE"
	case codeSuspended:
		return "kubectl projection resume " + rule.argument()
	default:
		return "kubectl describe " + rule.argument()
	}
}
