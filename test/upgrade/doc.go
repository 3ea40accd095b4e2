// Package upgrade holds the tests of managers that meet what another version made: definitions with fields that they were
// not built with, and the objects that version 1 leaves in a cluster.
package upgrade
