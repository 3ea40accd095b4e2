// Package compare holds the tests that the two operators of the quick start do the same, and that count their lines.
package compare
