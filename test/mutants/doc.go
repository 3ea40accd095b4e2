// Command mutants shows that the tests can fail. It changes one line of the operator, or of a helper of its tests, at a time, and runs the
// test that has to notice. The changed file exists only for the compiler (go test -overlay), so the tree stays as it is.
//
//	make mutants                   # all of them
//	make mutants MUTANTS=quick     # those whose tests need no control plane
//	make mutants MUTANTS=fence     # those with this word in their file, their package or their name
package main
