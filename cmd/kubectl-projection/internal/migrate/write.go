package migrate

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// WriteHeader writes what to do with the rules, as comments of a YAML file.
func WriteHeader(out io.Writer, tool Tool) error {
	return comment(out,
		fmt.Sprintf("Rules in place of %s. Nothing has been changed. Everybody who can write an object can put the marks of %s on it: "+
			"read the rules before you apply them.", tool.Name, tool.Name),
		fmt.Sprintf("1. Stop %s. %s", tool.Name, tool.Stop),
		"2. Let the owners of the sources consent: the comments below have the commands.",
		"3. kubectl create -f this file: unlike apply, it overwrites no rule of the same name. "+
			"The operator makes each copy that has the content of its source a copy of the rule, as it is. It leaves other objects "+
			"alone, and the rule reports DestinationConflict.",
		fmt.Sprintf("4. When the rules are ready, uninstall %s, and %s. Then remove policy.retain "+
			"if copies are to be deleted with the rule or the source, and policy.onConflict if nothing else is to be adopted.",
			tool.Name, tool.Finish),
	)
}

// Write writes what becomes of one source: the notes as comments, and the rules as documents of a YAML file.
func (r *Result) Write(out io.Writer) error {
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	if err := comment(out, append([]string{r.Title}, r.Notes...)...); err != nil {
		return err
	}
	for _, rule := range r.Rules {
		text, err := yaml.Marshal(rule)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

// comment writes sentences as comments, one a line. No sentence can end the comment: what is not printable is replaced.
func comment(out io.Writer, sentences ...string) error {
	for _, sentence := range sentences {
		printable := strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return '?'
		}, sentence)
		if _, err := fmt.Fprintf(out, "# %s\n", printable); err != nil {
			return err
		}
	}
	return nil
}

// WriteUnknown writes what the caller may not read.
func WriteUnknown(out io.Writer, resources []string) error {
	for _, resource := range resources {
		if err := comment(out, "?: you may not list "+resource+" in all namespaces, so this output can lack rules."); err != nil {
			return err
		}
	}
	return nil
}

// WriteSummary writes how many rules and copies there are.
func WriteSummary(out io.Writer, results []Result) error {
	rules, copies := 0, 0
	for _, result := range results {
		rules += len(result.Rules)
		copies += result.Copies
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return comment(out, count(rules, "rule", "rules")+", "+count(copies, "copy", "copies")+" to adopt")
}

func count(number int, one, many string) string {
	if number == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", number, many)
}

// WritePredecessor writes what of the rules of be0x74a/projection needs a look, and what is unknown.
func WritePredecessor(out io.Writer, rules int, results []Result, unknown []string) error {
	err := comment(out,
		"The operator serves the rules of be0x74a/projection 0.3 as they are, and takes their copies over in place: docs/migration has the steps. "+
			"Nothing has been changed.",
		count(rules, "rule", "rules")+fmt.Sprintf(", %d with something to look at", len(results)))
	if err != nil {
		return err
	}
	for i := range results {
		if err := results[i].Write(out); err != nil {
			return err
		}
	}
	for _, sentence := range unknown {
		if err := comment(out, "?: "+sentence); err != nil {
			return err
		}
	}
	return nil
}
