// Package roundtrip_test copies an object of every namespaced kind that a real API server serves.
//
// testdata holds <kind>.<group>.yaml (core: <kind>.yaml), in small letters, with one or more objects of the kind. What
// is of another kind there is set up first. Each object is created in one namespace, read back in every served version,
// sent through the pipeline and applied in another namespace.
package roundtrip_test
