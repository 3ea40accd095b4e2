// Package hooks has what the chart runs beside the manager: DeleteRules before an uninstall, and Trial as the test of a release. The image of
// the manager contains no other program.
package hooks
