// Package layering holds the tests that keep imports running one way: what a package of the operator reaches, directly or through
// others. It also checks that the code to which CONTRIBUTING links exists.
package layering
