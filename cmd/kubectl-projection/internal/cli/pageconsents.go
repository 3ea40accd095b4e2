package cli

import (
	"net/http"
	"strconv"
	"strings"

	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// consentPage shows what consents prints, by kind.
func (p pages) consentPage(r *http.Request) (ui.Page, error) {
	found, err := p.consents(r.Context(), nil, p.scope == "")
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{
		Title: "Consents", Lead: "Objects whose owners say whether rules may copy them. In permissive mode, rules may copy others, too.",
		Facts:   []ui.Fact{ui.Named("In a terminal", ui.Command("kubectl projection consents"+p.scopeFlag()))},
		Unknown: mayNotList(found.Unknown),
		Listing: &ui.Listing{
			Title: "Objects", Empty: found.none(), Columns: ui.Columns("Object", "Namespace", "Consent", "Rules", "Public keys"),
		},
	}
	for _, info := range found.Consents {
		tone := ui.Off
		if strings.HasPrefix(info.Consent, "consents") {
			tone = ui.Good
		}
		rules := strconv.Itoa(info.Rules)
		if found.hidesRules() {
			rules = unknownValue
		}
		page.Listing.Rows = append(page.Listing.Rows, ui.Row{Group: info.Object.Kind, Cells: []ui.Cell{
			objectCell(info.Object), {Text: info.Object.Namespace, Link: namespacePath(info.Object.Namespace)},
			{Text: info.Consent, Tone: tone}, ui.Text(rules), ui.Text(info.PublicKeys),
		}})
	}
	return page, nil
}

// scopeFlag returns the flag with which commands show what the pages show.
func (p pages) scopeFlag() string {
	if p.scope == "" {
		return " -A"
	}
	return " -n " + p.scope
}
