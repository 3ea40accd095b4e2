package editors

import "projection.sh/operator/primitives/internal/lists"

// entries is the map that a data editor edits.
type entries[V any] struct {
	wrapped *map[string]V
}

// entriesOf wraps a map. A nil pointer is replaced by a map that nobody reads.
func entriesOf[V any](wrapped *map[string]V) entries[V] {
	if wrapped == nil {
		wrapped = new(map[string]V)
	}
	return entries[V]{wrapped}
}

func (e entries[V]) set(key string, value V) { lists.Set(e.wrapped, key, value) }

func (e entries[V]) unset(key string) { lists.Unset(e.wrapped, key) }

// raw returns the map, which it makes if there is none.
func (e entries[V]) raw() map[string]V {
	if *e.wrapped == nil {
		*e.wrapped = map[string]V{}
	}
	return *e.wrapped
}
