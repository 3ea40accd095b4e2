// Package watch wakes rules when something that they depend on changes, at a cost that follows the number of rules and
// not the size of the cluster: it holds no object, only who waits for which.
package watch
