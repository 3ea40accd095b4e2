// Package plan finds out what a rule wants, without doing it: of which kind the source is, whether the source may be copied,
// where the copies are to be, and what they look like. It sends nothing but reads.
//
// The projector takes the steps of a Planner one by one. A program that only shows a plan calls Make.
package plan
