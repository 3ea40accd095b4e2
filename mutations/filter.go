package mutations

// Content says what of a source is copied, of what can be copied at all. Each member left out: all.
type Content struct {
	// Labels and Annotations choose among those of the source. Those of the overlay are not asked.
	Labels, Annotations KeyFilter
	// Fields chooses among the other fields. A field that is not copied is nobody's in the copies.
	Fields FieldFilter
	// Data chooses among the keys of a ConfigMap or Secret, of data and binaryData alike.
	Data DataFilter
}

// Validate returns an InputError if the content can be chosen of no source.
func (c Content) Validate() error {
	for _, texts := range [][]string{c.Fields.Include, c.Fields.Exclude} {
		if _, err := contentPaths(texts); err != nil {
			return err
		}
	}
	_, err := parseRenames(c.Data.Rename)
	return err
}

// FieldFilter chooses fields by paths, as package paths reads them. A path that leads nowhere in the source is no error.
type FieldFilter struct {
	// Include are the fields that are copied, with all below them; empty: all.
	Include []string
	// Exclude are the fields that are not copied, though Include has them.
	Exclude []string
}

// copiesAll reports whether all fields are copied.
func (f FieldFilter) copiesAll() bool { return len(f.Include)+len(f.Exclude) == 0 }

// DataFilter chooses keys of a ConfigMap or Secret, and names them in the copy.
type DataFilter struct {
	KeyFilter
	// Rename names keys that are copied. The first that fits the key in the source names it.
	Rename []KeyRename
	// AllowMissing has a copy made though the source lacks keys that Include or Rename names. Otherwise that is a MissingKeysError.
	AllowMissing bool
}

// KeyRename gives a key another name. Either From or Pattern is set.
type KeyRename struct {
	// From is the key in the source.
	From string
	// Pattern is a regular expression (RE2) that the whole key in the source has to match.
	Pattern string
	// To is the key in the copy. After a Pattern, $1 or ${1} is what its first group has matched.
	To string
}
