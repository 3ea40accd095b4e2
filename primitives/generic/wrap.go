package generic

import "projection.sh/operator/primitives/concepts"

// WrapGuard turns a guard that takes a value into one that takes a pointer. Nil stays nil.
func WrapGuard[V any](guard func(V) (concepts.GuardStatusWithReason, error)) func(*V) (concepts.GuardStatusWithReason, error) {
	if guard == nil {
		return nil
	}
	return func(object *V) (concepts.GuardStatusWithReason, error) { return guard(*object) }
}

// WrapExtractor turns an extractor that takes a value into one that takes a pointer. Nil stays nil.
func WrapExtractor[V any](extractor func(V) error) func(*V) error {
	if extractor == nil {
		return nil
	}
	return func(object *V) error { return extractor(*object) }
}

// WrapExtraction turns an extraction that takes a value into one that takes a pointer. Nil stays nil.
func WrapExtraction[E, V any](fn func(E) (V, error)) func(*E) (V, error) {
	if fn == nil {
		return nil
	}
	return func(object *E) (V, error) { return fn(*object) }
}
