// Package golden compares what resources and components would apply with YAML files that are kept beside the tests.
//
// The files are written by tests that pass Update(true), usually from a flag of their own:
//
//	var update = flag.Bool("update", false, "write the golden files")
//
//	golden.AssertYAML(t, "testdata/settings.yaml", resource, golden.Update(*update))
package golden
