// Package hooks has what the chart runs beside the manager: before an uninstall, and as the test of a release. The image of the manager
// contains no other program.
package hooks
