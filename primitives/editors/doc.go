// Package editors holds the typed editors that mutations change objects with. An editor wraps a part of an object and
// writes to it at once; mutators decide when editors run.
//
// In every editor:
//   - Ensure inserts or replaces by the identity that its comment tells, and makes a list or map that is missing.
//   - Remove of something absent does nothing. A list or map that becomes empty becomes nil, so that server-side apply does
//     not claim an empty field.
//   - Set replaces the field; nil unsets it.
//   - Values are copied on the way in: what the caller does to them afterwards, or the editor to the object, reaches only
//     the one.
//   - Raw returns what is wrapped, for what the other methods do not cover.
package editors

// RawEditor is an editor of a T.
type RawEditor[T any] interface {
	// Raw returns what is wrapped.
	Raw() *T
}

// ObjectMutator is a mutator that can edit the metadata of its object.
type ObjectMutator interface {
	// EditObjectMetadata records an edit of the metadata.
	EditObjectMetadata(edit func(*ObjectMetaEditor) error)
}

// wrapper is an editor without methods of its own.
type wrapper[T any] struct {
	raw *T
}

// Raw returns what is wrapped.
func (w *wrapper[T]) Raw() *T { return w.raw }
