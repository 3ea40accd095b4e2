// Package olm makes the bundle by which the Operator Lifecycle Manager installs the operator, and knows the rules that a bundle has to
// keep: those of the module github.com/operator-framework/api, as far as they concern a bundle such as this one.
package olm
