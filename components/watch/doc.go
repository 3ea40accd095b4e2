// Package watch enqueues rules when something that they depend on changes. Its cost follows the number of rules, and not the size of
// the cluster: it keeps no object, only which rule depends on which.
package watch
