package migrate

import (
	"fmt"
	"maps"
	"slices"
)

// withoutSource returns what becomes of copies for which there is no source.
func (s *Survey) withoutSource(lost []Ref) []Result {
	by := map[string][]Ref{}
	for _, ref := range lost {
		maker := s.copies[ref].madeBy
		by[maker] = append(by[maker], ref)
	}
	var results []Result
	for _, maker := range slices.Sorted(maps.Keys(by)) {
		refs := by[maker]
		result := Result{Title: fmt.Sprintf("%d objects of %s without a source", len(refs), s.tool.Name)}
		if len(refs) == 1 {
			result.Title = fmt.Sprintf("%s: an object of %s without a source", refs[0], s.tool.Name)
		}
		if maker == "" {
			result.note("No source that copies into its namespace has its name, or several have. Write a rule if somebody needs it updated.")
		} else {
			result.note("Made by %s. If that is from data in the policy, create the object once in a namespace of the platform team, "+
				"and write a rule that copies it.", maker)
		}
		result.note("In the namespaces %s.", list(refs))
		results = append(results, result)
	}
	return results
}
