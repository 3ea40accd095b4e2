package mutations

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// dataFields are the fields of a ConfigMap or Secret that have keys. No key is in both.
var dataFields = []string{dataField, binaryDataField}

const (
	dataField       = "data"
	binaryDataField = "binaryData"
)

// filterData drops the keys of a ConfigMap or Secret that are not to be copied, and gives the others their names. A field of which no
// key is left goes.
func filterData(in Input) unstructured.Mutation {
	filter := in.Content.Data
	gate := feature.NewBooleanGate(!filter.isZero() || len(filter.Rename) > 0)
	return mutation(FilterData, gate, func(content map[string]any) error {
		if !IsReplaceable(in.Kind) {
			return inputError("a %s has no keys to choose: only ConfigMaps and Secrets have", in.Kind)
		}
		if missing := filter.missing(content); len(missing) > 0 && !filter.AllowMissing {
			return &MissingKeysError{Keys: missing}
		}
		names, err := filter.names(content)
		if err != nil {
			return err
		}
		for _, field := range dataFields {
			renameKeys(content, field, names)
		}
		return nil
	})
}

// missing returns the keys that the filter names and the content lacks, sorted.
func (f DataFilter) missing(content map[string]any) []string {
	named := slices.DeleteFunc(slices.Clone(f.Include), IsPattern)
	for _, rename := range f.Rename {
		if rename.From != "" {
			named = append(named, rename.From)
		}
	}
	keys := keysOf(content)
	named = slices.DeleteFunc(named, func(key string) bool { return slices.Contains(keys, key) })
	slices.Sort(named)
	return slices.Compact(named)
}

// names returns the names in the copy of those keys of the content that are copied.
func (f DataFilter) names(content map[string]any) (map[string]string, error) {
	renames, err := parseRenames(f.Rename)
	if err != nil {
		return nil, err
	}
	if err := checkCost(f.Rename, keysOf(content)); err != nil {
		return nil, err
	}
	names, sources := map[string]string{}, map[string]string{}
	for _, key := range keysOf(content) {
		if !f.Keeps(key) {
			continue
		}
		name, renamed := renames.nameOf(key)
		if problems := validation.IsConfigMapKey(name); renamed && len(problems) > 0 {
			return nil, sourceError("the key %s of the source would be called %q in the copy, which cannot be a key: %s",
				key, name, strings.Join(problems, ", "))
		}
		if other, taken := sources[name]; taken {
			return nil, sourceError("the keys %s and %s of the source would both be called %s in the copy", other, key, name)
		}
		names[key], sources[name] = name, key
	}
	return names, nil
}

// keysOf returns the keys of the content, sorted.
func keysOf(content map[string]any) []string {
	keys := map[string]struct{}{}
	for _, field := range dataFields {
		for key := range child(content, field) {
			keys[key] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func renameKeys(content map[string]any, field string, names map[string]string) {
	entries, ok := content[field].(map[string]any)
	if !ok {
		return
	}
	kept := make(map[string]any, len(entries))
	for key, value := range entries {
		if name, found := names[key]; found {
			kept[name] = value
		}
	}
	content[field] = kept
	if len(kept) == 0 {
		delete(content, field)
	}
}
