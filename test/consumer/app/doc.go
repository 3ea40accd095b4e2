// Package app is the controller of WebApps. An app is four components; each is a list of resources; each resource is a baseline
// with mutations:
//
//	baseline.go    the objects of the newest version
//	mutations.go   what differs, by feature and by version
//	resources.go   the two together, with what each waits for and hands on
//	components.go  which of them report as one condition
//	controller.go  the reconcile
//	sharing.go     a fifth component, whose objects are copies in other namespaces
package app
