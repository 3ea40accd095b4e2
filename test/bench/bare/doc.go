// Package bare is the client beside which the operator is measured: the limit. It does what nobody can do without, and
// nothing else: it hears of a change through a watch, and sends one server-side apply per copy, with the library, the
// content and the concurrency of the operator.
//
// It reads nothing, since the watch on sources brings whole objects. It asks for no consent, looks out for no
// foreign object, and keeps no status. It fails at the first error.
package bare
