// Package failpoint runs managers in the process of a test, and breaks their connection to the API server at a chosen
// write: what is left is what a manager leaves that was killed there.
package failpoint
