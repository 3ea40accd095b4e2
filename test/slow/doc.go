// Package slow holds the tests beside an admission webhook that takes long: it delays the namespaces that it is
// configured for, and nothing else; and what is withdrawn meanwhile is not written.
package slow
