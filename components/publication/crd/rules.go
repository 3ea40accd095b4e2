package crd

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
)

// dropRules removes the validation rules that name a field that before has and after lacks, in schemas that differ in nothing else. An error names
// the first rule of which it cannot be said whether it does.
func dropRules(before, after *props, at string) error {
	if equality.Semantic.DeepEqual(before, after) {
		return nil
	}
	if err := dropRulesAt(before, after, at); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(after.Properties)) {
		was, is := before.Properties[name], after.Properties[name]
		if err := dropRules(&was, &is, below(at, name)); err != nil {
			return err
		}
		after.Properties[name] = is
	}
	if itemsOf(after) != nil {
		return dropRules(before.Items.Schema, after.Items.Schema, at+"[*]")
	}
	return nil
}

func dropRulesAt(before, after *props, at string) error {
	if len(before.XValidations) == 0 {
		return nil
	}
	shown := at
	if at == "" {
		shown = "the object"
	}
	isRoot := at == ""
	was, err := newScope(before, isRoot)
	if err != nil {
		return fmt.Errorf("the rules of %s cannot be understood: %w. Hide fields elsewhere, or repair the definition of the service", shown, err)
	}
	is, err := newScope(after, isRoot)
	if err != nil {
		return fmt.Errorf("the rules of %s cannot be understood without the hidden fields: %w. Hide all of it, or nothing below it", shown, err)
	}
	var kept []rule
	for _, rule := range before.XValidations {
		if err := was.understands(rule); err != nil {
			return fmt.Errorf("it cannot be said whether the rule %q of %s names a hidden field: %w. Hide all of %s, or nothing below it",
				rule.Rule, shown, err, shown)
		}
		if is.compiles(rule) {
			kept = append(kept, rule)
		}
	}
	after.XValidations = kept
	return nil
}

func below(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
