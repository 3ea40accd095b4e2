// Package upgrade holds the tests of managers that meet what another version made: definitions with fields that they were
// not built with, and the objects that a version leaves in a cluster.
//
// The latter are recorded in testdata, a directory for each version: etcd.jsonl is what etcd held when the manager was
// killed, objects.yaml the same for people, crds the definitions, COMMIT where the manager came from. A record is made once
// and never changed. The next version is recorded by
//
//	make record-corpus CORPUS=v2 COMMIT=<commit>
//
// after record/scene.yaml has got what the version has added.
package upgrade
