// Package record keeps the edits of a mutator until they are carried out: feature by feature, within a feature category by
// category, and within a category in the order in which they were recorded.
//
// Example: a mutation records an edit of a container, and then one of the metadata. The metadata is edited first, since the
// category of metadata was added to the recorder first.
package record

// Recorder is a list of categories. A new one has the scope of its first feature open.
type Recorder struct {
	feature    int
	edited     bool // the feature whose scope is open has edits
	categories []category
}

// category carries out the edits of one feature.
type category interface {
	apply(feature int) error
}

// NextFeature opens the scope of the next feature. A scope without edits is used again.
func (r *Recorder) NextFeature() {
	if r.edited {
		r.feature++
	}
	r.edited = false
}

// Apply carries out all edits. The first error ends it and is returned as it is. A second Apply repeats all edits.
func (r *Recorder) Apply() error {
	for feature := range r.feature + 1 {
		for _, category := range r.categories {
			if err := category.apply(feature); err != nil {
				return err
			}
		}
	}
	return nil
}

// Category holds edits of one sort, such as changes of the metadata.
type Category[E any] struct {
	recorder *Recorder
	features [][]E // by the number of the feature
	run      func([]E) error
}

// NewCategory adds a category to the recorder. Edits of categories that are added later are carried out later. For each
// feature, run gets the edits that were recorded, if there are any.
func NewCategory[E any](r *Recorder, run func([]E) error) *Category[E] {
	c := &Category[E]{recorder: r, run: run}
	r.categories = append(r.categories, c)
	return c
}

// Record adds an edit to the feature whose scope is open.
func (c *Category[E]) Record(edit E) {
	c.recorder.edited = true
	for len(c.features) <= c.recorder.feature {
		c.features = append(c.features, nil)
	}
	c.features[c.recorder.feature] = append(c.features[c.recorder.feature], edit)
}

func (c *Category[E]) apply(feature int) error {
	if feature >= len(c.features) || len(c.features[feature]) == 0 {
		return nil
	}
	return c.run(c.features[feature])
}
