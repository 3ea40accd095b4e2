// Package corpus records what a version of the operator leaves in a cluster, and puts it into another one as it was: objects
// are taken from etcd and put back there, so that uids, generations, managedFields and statuses stay what they are. Only
// resourceVersions differ.
package corpus
