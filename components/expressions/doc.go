// Package expressions evaluates the CEL expressions of rules.
//
// The language is a part of that of ValidatingAdmissionPolicies in Kubernetes 1.32, whatever the version of the API server. What is an
// expression here means the same there. An expression knows
// two variables: source, the object that is copied, and target, the namespace of the copy. It reads nothing else: no clock, no network and
// no other object. So the same expression gives the same value for the same source and target, wherever and whenever it is evaluated.
//
// The language has the functions whose cost follows from the sizes of their arguments, or of what they give. So the time and the memory to
// compile an expression are bounded by its text. The evaluations for a source, or for a target, have one budget, in the units that the API
// server counts in, that pays all work before it is done.
package expressions
