// Package goldengen tests a resource or a component in all versions of a product, with as few golden files as the
// versions need.
//
// A Config names the versions, the fixtures and how a fixture is built in a version. Run builds each fixture in each
// version and asks which mutations fire. Versions in which the same mutations fire are a regime: one golden file, of its
// first version, stands for them all. The manifest lists the regimes, so that a review sees which versions a change of a
// gate concerns. AssertComplete has every mutation be required by a fixture.
//
//	var matrix = goldengen.New(goldengen.Config[v1.WebAppSpec]{...})
//
//	func TestMatrix(t *testing.T) { matrix.WithUpdate(*update).Run(t) }
//
//	func TestMain(m *testing.M) {
//		flag.Parse()
//		os.Exit(matrix.AssertComplete(m.Run()))
//	}
package goldengen
