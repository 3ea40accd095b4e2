// Package sim has clusters that exist as far as their API is concerned, many in one process: each has a TLS listener on loopback and a store, and
// serves as much of the Kubernetes API as the operator asks of another cluster.
//
// It serves discovery, the version, Namespaces, ConfigMaps, Secrets, ServiceAccounts and Leases: get, list, watch with bookmarks and with the
// present objects first, create, update, server-side apply, merge and JSON patches, delete with preconditions, and dry run. Metadata is served as
// such, as JSON and as protobuf. Who owns which field is decided by the code of Kubernetes itself.
//
// It proves nothing about Kubernetes: no admission, no validation of content, no quota, no garbage collection, and namespaces that are deleted stay.
// The differential test in the folder above compares what it answers with a real API server.
package sim
