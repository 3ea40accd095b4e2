// Package lists inserts into and removes from the lists and maps of Kubernetes objects. What becomes empty becomes nil, so
// that server-side apply does not claim an empty field.
package lists

import "slices"

// Ensure puts value in the place of the first element that is the same, or else at the end.
func Ensure[T any](list *[]T, value T, same func(T) bool) {
	if i := slices.IndexFunc(*list, same); i >= 0 {
		(*list)[i] = value
		return
	}
	*list = append(*list, value)
}

// EnsureAbsent puts value at the end unless an element is the same.
func EnsureAbsent[T any](list *[]T, value T, same func(T) bool) {
	if !slices.ContainsFunc(*list, same) {
		*list = append(*list, value)
	}
}

// Remove removes all elements that are the same.
func Remove[T any](list *[]T, same func(T) bool) {
	*list = NilIfEmpty(slices.DeleteFunc(*list, same))
}

// RemoveFirst removes the first element that is the same.
func RemoveFirst[T any](list *[]T, same func(T) bool) {
	if i := slices.IndexFunc(*list, same); i >= 0 {
		*list = slices.Delete(*list, i, i+1)
	}
	*list = NilIfEmpty(*list)
}

// Equal finds the elements that are equal to value.
func Equal[T comparable](value T) func(T) bool { return func(other T) bool { return other == value } }

// NilIfEmpty returns nil in the place of an empty list.
func NilIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Set sets an entry of a map, which it makes if there is none.
func Set[K comparable, V any](entries *map[K]V, key K, value V) {
	if *entries == nil {
		*entries = map[K]V{}
	}
	(*entries)[key] = value
}

// Unset removes an entry of a map.
func Unset[K comparable, V any](entries *map[K]V, key K) {
	delete(*entries, key)
	if len(*entries) == 0 {
		*entries = nil
	}
}

// Clone copies what a pointer points to. Nil stays nil.
func Clone[T any](value *T) *T {
	if value == nil {
		return nil
	}
	return new(*value)
}
