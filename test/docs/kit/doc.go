// Package kit holds the tests of docs/kit: the code that its pages show, the table of the default handlers, which is written from
// what the handlers return, and comparisons of what the pages list with the packages.
package kit
