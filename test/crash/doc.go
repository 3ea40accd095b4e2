// Package crash holds the tests of an operator that ends at the worst moment: killed at any of its writes, restarted,
// replaced by another replica or by another version. Whatever happens to the world in between, the end is the one that an
// operator would have reached that never stopped; package oracle says which that is.
package crash
