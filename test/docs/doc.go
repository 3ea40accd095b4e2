// Package docs holds the tests that read the documents: every example in them is run against a real control plane with the
// operator at work, and what a page lists (reasons, flags, metrics, alerts, files) is compared with what there is.
//
// A page begins in an empty cluster, and its blocks are run from the top to the bottom:
//
//	yaml     is applied with kubectl
//	sh       is run by bash at the top of the tree; lines that begin with make name targets, and are looked up
//	console  is commands after "$ " and what they print; what differs from run to run, such as an age, is not compared,
//	         and a line "..." stands for any number of lines; a command that only reads is repeated until it fits
//	go       is found in a Go file of this tree, which is compiled
//
// The pages about other clusters are run with a second cluster, to which the context eu-1 of kubectl leads.
//
// Blocks that are not run are listed in testdata/not-run.txt, and the words that no user's text has in vocabulary_test.go.
//
// A comment "run: <command>" runs a command that the reader does not see, "norun: <reason>" excuses the next block, and
// "values.yaml" says that it holds values of the chart, which has to accept them.
package docs
