// Package publication serves PublishedResources: it copies the objects of consumers into the cluster of a service, and brings their status back.
//
// Each PublishedResource has one publication, and that has one consumer for each cluster that the kind is offered to. A consumer has a queue of its own:
// a cluster that does not answer delays no other. What the spec says is data of each pass, so an edit of it restarts nothing.
package publication
