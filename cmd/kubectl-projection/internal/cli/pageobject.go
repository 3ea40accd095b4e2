package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// object shows what why prints of an object: as a copy, and as a source.
func (p pages) object(r *http.Request) (ui.Page, error) {
	i, err := p.inquire(r.Context(), r.PathValue("namespace"))
	if err != nil {
		return ui.Page{}, err
	}
	asked, err := parseObject(i.cluster.Mapper, []string{r.PathValue("type"), r.PathValue("name")})
	if _, isAboutType := errors.AsType[typeError](err); isAboutType {
		return ui.Page{}, fmt.Errorf("%w: %w", ui.ErrNotFound, err)
	}
	if err != nil {
		return ui.Page{}, err
	}
	found, err := i.ofObject(r.Context(), asked)
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{Title: found.Object.String(), Tone: found.tone(), Facts: p.factsOfObject(found), Unknown: mayNotList(found.Unknown)}
	page.Listing = &ui.Listing{Title: "Copied by", Empty: "No rule copies it.", Columns: ui.Columns("Rule", "Copies in sync", "Reason", "Message")}
	for _, rule := range found.CopiedBy {
		page.Listing.Rows = append(page.Listing.Rows, ui.Row{Group: rule.Kind, Cells: []ui.Cell{
			{Text: rule.String(), Link: rule.path()}, {Text: rule.copies(), Tone: rule.tone()}, ui.Text(rule.reason()), ui.Text(rule.Message),
		}})
	}
	return page, nil
}

func (p pages) factsOfObject(found objectReport) []ui.Fact {
	argument := objectname.Argument(found.Object.GroupKind(), found.Object.Name)
	facts := []ui.Fact{
		ui.Named("State", ui.Text(found.state())),
		ui.Named("Namespace", ui.Cell{Text: found.Object.Namespace, Link: namespacePath(found.Object.Namespace)}),
		ui.Named("Consent", ui.Text(found.Consent)),
	}
	if found.Rule != nil {
		rule := ui.Cell{Text: found.Rule.String(), Link: found.Rule.path("in", found.Object.Namespace), Tone: found.Rule.tone()}
		if found.Orphan {
			rule = ui.Cell{Text: found.Rule.String() + ", which does not exist", Tone: ui.Bad}
		}
		facts = append(facts, ui.Named("Rule", rule))
	}
	if found.Source != nil {
		facts = append(facts, ui.Named("Source", objectCell(*found.Source)), ui.Named("Layers", ui.Text(strings.Join(found.Layers, ", "))))
	}
	if found.Written != nil {
		facts = append(facts, ui.Named("Written", ui.Text(duration.HumanDuration(p.now().Sub(found.Written.Time))+" ago")))
	}
	return append(facts,
		ui.Named("Other writers", ui.Text(strings.Join(found.OtherWriters, ", "))),
		ui.Named("Next", ui.Text(found.next())),
		ui.Named("In a terminal", ui.Command("kubectl projection why "+argument+" -n "+found.Object.Namespace)))
}

// tone says how the object is, if it is a copy.
func (r objectReport) tone() ui.Tone {
	switch {
	case r.State == isUnknown:
		return ui.Unknown
	case r.Orphan || r.State == isAmbiguous:
		return ui.Bad
	case r.State != isCopy:
		return ui.Plain
	case r.Verdict == nil || r.Verdict.State == forecast.Unknown:
		return ui.Unknown
	case r.Verdict.State == forecast.NotTarget:
		return ui.Waiting
	default:
		return toneOf(r.Verdict.State)
	}
}
