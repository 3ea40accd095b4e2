// Package integration holds the tests of the operator as its users meet it: a real API server, the real manager with its
// default settings, rules applied and copies looked at.
package integration
