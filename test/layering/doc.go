// Package layering holds the tests that keep imports running one way: what a package of the operator reaches,
// directly or through others.
package layering
