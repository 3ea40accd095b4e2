// Package failpoint breaks the connection between a manager and the API server at a chosen write: what is left is what a
// manager leaves that was killed there.
package failpoint
