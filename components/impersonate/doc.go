// Package impersonate sends requests in the name of service accounts. A request names its user in its context, and the transport of
// NewClient puts that user into the header Impersonate-User. So all users share one pool of connections.
//
// It fails closed: a request whose context names no user is not sent, least of all with the operator's own permissions.
package impersonate
