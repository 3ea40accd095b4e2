// Package generic holds the mechanics that all primitives share: builders that validate, and resources that mutate,
// preview, guard, suspend and hand on data. Primitives and custom wrappers embed these types and add what they know
// about a kind.
//
// Type parameters: T is a pointer to an object, M the mutator of that object.
package generic

import "projection.sh/operator/primitives/feature"

// Gate is feature.Gate.
type Gate = feature.Gate

// Mutation is feature.Mutation.
type Mutation[T any] = feature.Mutation[T]
