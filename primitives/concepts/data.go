package concepts

import (
	"errors"
	"fmt"
)

// ErrDataNotExtracted says that nobody has put a value into a cell yet.
var ErrDataNotExtracted = errors.New("data not extracted")

// DataCell is a Data of any type.
type DataCell interface {
	// Name returns the name, which is unique within a component.
	Name() string
	// IsSet reports whether the cell has a value.
	IsSet() bool
	// Clear takes the value away.
	Clear()
}

// Data is a cell that hands one value on from a resource to later resources of the same component. The resource that has
// the value declares that with ExtractInto, those that need it with WithDataGuard or WithOptionalData; mutations read it.
//
// Two cells are the same only if they are one pointer. A cell belongs to one component and, like a component, to one
// reconcile; it is not safe for concurrent use.
type Data[T any] struct {
	name  string
	value T
	set   bool
}

var _ DataCell = (*Data[string])(nil)

// NewData returns a cell without a value.
func NewData[T any](name string) *Data[T] { return &Data[T]{name: name} }

// Name returns the name.
func (d *Data[T]) Name() string { return d.name }

// IsSet reports whether the cell has a value.
func (d *Data[T]) IsSet() bool { return d.set }

// Get returns the value, and false and a zero value if there is none.
func (d *Data[T]) Get() (T, bool) { return d.value, d.set }

// Require returns the value, and an error around ErrDataNotExtracted if there is none. A mutation that uses it cannot be
// previewed, because a preview extracts nothing.
func (d *Data[T]) Require() (T, error) {
	if !d.set {
		return d.value, fmt.Errorf("data %q: %w", d.name, ErrDataNotExtracted)
	}
	return d.value, nil
}

// Set puts a value into the cell. Resources do that; by hand it is for tests, before they preview a mutation that uses
// Require.
func (d *Data[T]) Set(value T) { d.value, d.set = value, true }

// Clear takes the value away.
func (d *Data[T]) Clear() {
	var none T
	d.value, d.set = none, false
}
