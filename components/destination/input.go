package destination

import (
	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

// CheckContent returns an error if what the rule says of the content can be applied to no source.
func CheckContent(content v1.Content) error { return inputOf(content).Validate() }

// inputOf returns what a rule says of the content as the mutations take it.
func inputOf(content v1.Content) mutations.Content {
	input := mutations.Content{
		Labels:      mutations.KeyFilter(content.Labels),
		Annotations: mutations.KeyFilter(content.Annotations),
		Fields:      mutations.FieldFilter(content.Fields),
		Data: mutations.DataFilter{
			KeyFilter:    mutations.KeyFilter{Include: content.Data.Include, Exclude: content.Data.Exclude},
			AllowMissing: content.Data.AllowMissing,
		},
	}
	for _, rename := range content.Data.Rename {
		input.Data.Rename = append(input.Data.Rename, mutations.KeyRename(rename))
	}
	return input
}
