// Package gitops holds the tests of what tools make of the operator's word, by those tools' own libraries: Flux and others
// by kstatus, Argo CD by a Lua script, Prometheus by its parsers. It is a module of its own, so that whoever imports the
// operator does not inherit those libraries.
package gitops
