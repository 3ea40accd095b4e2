package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
)

// plannedRule is a rule as it would be, and what would become of its copies.
type plannedRule struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// New reports whether there is no such rule yet, and Fields are what would change of its spec.
	New    bool          `json:"new,omitempty"`
	Fields []fieldChange `json:"fields,omitempty"`
	// Notes are what the changes depend on.
	Notes []string `json:"notes,omitempty"`

	forecast.Changes `json:",inline"`
}

// fieldChange is a field of a rule that would change. The values are JSON; empty: there is none.
type fieldChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

func plannedRuleOf(planned access.Planned, settings access.Settings) (plannedRule, error) {
	rule := plannedRule{Kind: planned.Rule.Kind.Name, Namespace: planned.Rule.Namespace, Name: planned.Rule.Name, New: planned.Before == nil}
	after, err := specOf(planned.Rule)
	if err != nil {
		return rule, err
	}
	if planned.Before != nil {
		before, err := specOf(*planned.Before)
		if err != nil {
			return rule, err
		}
		rule.Fields = fieldChanges("spec", before, after)
	}
	for _, note := range []struct {
		holds bool
		text  string
	}{
		{planned.Unchecked != "", unknownValue + " the API server has not checked the rule: " + planned.Unchecked},
		{planned.Rule.Spec.Suspended, "the rule is suspended: nothing is written until it is resumed"},
		{planned.Rule.Spec.Rollout != nil, "the copies are changed in the waves of spec.rollout"},
		{planned.Rule.Spec.Account != nil, "the operator reads and writes as a service account, and this plan with your permissions"},
		{settings.Known && !settings.Serves(planned.Rule.Object.GetLabels()), "the operator does not reconcile the rule: --watch-label-selector"},
	} {
		if note.holds {
			rule.Notes = append(rule.Notes, note.text)
		}
	}
	return rule, nil
}

func specOf(rule access.Rule) (any, error) {
	fields, err := fieldsOf(rule.Object)
	return fields["spec"], err
}

// fieldsOf returns a value as JSON has it.
func fieldsOf(value any) (fields map[string]any, err error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(encoded, &fields)
	return fields, err
}

// fieldChanges returns the fields that differ, in the order of their paths.
func fieldChanges(path string, before, after any) (found []fieldChange) {
	from, wasMap := before.(map[string]any)
	to, isMap := after.(map[string]any)
	switch {
	case reflect.DeepEqual(before, after):
		return nil
	case !wasMap || !isMap:
		return []fieldChange{{path, compact(before), compact(after)}}
	}
	for key, value := range from {
		found = append(found, fieldChanges(path+"."+key, value, to[key])...)
	}
	for key, value := range to {
		if _, existed := from[key]; !existed {
			found = append(found, fieldChanges(path+"."+key, nil, value)...)
		}
	}
	slices.SortFunc(found, func(a, b fieldChange) int { return strings.Compare(a.Path, b.Path) })
	return found
}

func compact(value any) string {
	if value == nil {
		return ""
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return unknownValue
	}
	return string(encoded)
}

func (f fieldChange) String() string {
	switch {
	case f.Before == "":
		return f.Path + ": added " + f.After
	case f.After == "":
		return f.Path + ": removed " + f.Before
	default:
		return f.Path + ": " + f.Before + " -> " + f.After
	}
}

func (r plannedRule) String() string {
	return ruleInfo{Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}.String()
}

// header describes the rule.
func (r plannedRule) header(w io.Writer) error {
	state := "unchanged"
	switch {
	case r.New:
		state = "new"
	case len(r.Fields) > 0:
		state = "changed"
	}
	pairs := [][2]string{{"Rule", r.String() + ", " + state}}
	for _, field := range r.Fields {
		pairs = append(pairs, [2]string{"Field", field.String()})
	}
	for _, note := range r.Notes {
		pairs = append(pairs, [2]string{"Note", note})
	}
	return lines(w, pairs...)
}

// hasWrite reports whether a copy is written.
func (r plannedRule) hasWrite() bool {
	return slices.ContainsFunc(r.Changes.Changes, func(change forecast.Change) bool { return change.Action.IsWrite() })
}

// body lists the changes, block by block, in columns whose widths stay.
func (r plannedRule) body(w io.Writer, out *output, steps planSteps) error {
	names := []string{"Namespace", "Action", "Copy", "+Source", "Reason", "Message"}
	if steps.isChecked {
		names = slices.Insert(names, 4, "Check")
	}
	tabs, table := printers.GetNewTabWriter(w), *out
	for block := range slices.Chunk(r.Changes.Changes, blockSize) {
		if err := steps.check(block); err != nil {
			return err
		}
		rows := make([][]string, len(block))
		for i, change := range block {
			rows[i] = rowOf(change, steps.isChecked)
		}
		if err := errors.Join(table.table(tabs, columns(names...), rows), tabs.Flush()); err != nil {
			return err
		}
		table.noHeaders = true
	}
	return nil
}

func rowOf(change forecast.Change, isChecked bool) []string {
	row := []string{change.Namespace, string(change.Action), "", "", change.Reason, change.Message}
	if change.Copy != nil {
		row[2] = objectname.Argument(change.Copy.GroupKind(), change.Copy.Name)
	}
	if change.Source != nil {
		row[3] = change.Source.String()
	}
	if !isChecked {
		return row
	}
	check := ""
	if change.Check != nil {
		check = change.Check.Result
		if row[5] == "" {
			row[5] = change.Check.Message
		} else if change.Check.Message != "" {
			row[5] += "; " + change.Check.Message
		}
	}
	return slices.Insert(row, 4, check)
}

// counted says how many copies each action concerns.
func counted(counts map[forecast.Action]int) string {
	return cmp.Or(changesCounted(counts), "no copies")
}

// changesCounted is empty if there is nothing to count.
func changesCounted(counts map[forecast.Action]int) string {
	var parts []string
	for _, action := range forecast.Actions {
		if number := counts[action]; number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", number, counting[action]))
		}
	}
	return strings.Join(parts, ", ")
}

var counting = map[forecast.Action]string{
	forecast.Create: "to create", forecast.Update: "to update", forecast.Adopt: "to adopt", forecast.Delete: "to delete", forecast.Release: "to release",
	forecast.Keep: "kept", forecast.Skip: "skipped", forecast.Refuse: "refused", forecast.Undecided: "unknown", forecast.Unchanged: "unchanged",
}
