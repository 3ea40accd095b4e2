// Package compare holds the tests that the two operators of the quick start have the same objects and conditions, and that count
// their lines.
package compare
