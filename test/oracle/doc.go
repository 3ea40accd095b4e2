// Package oracle says what a cluster has to look like once an operator that never stopped has done all that it was asked
// for: which copies there are, what is in them, whose they are, and what the rules report.
//
// It is written against the documentation alone. Of the operator, it has only the types of the API and their constants; it reads
// what rules ask for, and matches selectors, by code of its own. Look reads what is there; all the rest is pure.
package oracle
