package mutations_test

import "testing"

// BenchmarkPipeline renders copies of golden sources: a small, a common and a large one.
func BenchmarkPipeline(b *testing.B) {
	golden := sources(b)
	for _, name := range []string{"configmap-settings", "deployment-shop", "pod-full"} {
		source := golden[name]
		in := inputFor(source, byProjection)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := render(in, source); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
