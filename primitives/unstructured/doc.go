// Package unstructured edits objects that have no Go type. Its Mutator and Mutation serve the primitives static,
// workload, integration and task below it, which know nothing about a kind but what they are told.
package unstructured
