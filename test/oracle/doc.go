// Package oracle says what a cluster has to look like once an operator that never stopped has done all that it was asked
// for: which copies there are, what is in them, whose they are, and what the rules report.
//
// It is written against the documentation alone and shares no code with the operator. What is there to be compared with is
// read by Read; all the rest is pure.
package oracle
