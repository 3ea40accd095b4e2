// Package editors holds the typed editors that mutations change objects with. An editor wraps a part of an object and
// writes to it at once; mutators decide when editors run.
//
// In every editor, Ensure inserts or replaces by the identity that its name tells, Remove of something absent does
// nothing, and Raw returns what is wrapped, for what the other methods do not cover.
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
