package destination_test

import (
	"testing"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
)

// BenchmarkRender is what a pass does once, however many copies there are.
func BenchmarkRender(b *testing.B) {
	object, rule := source(b, original), newRule()
	id := owner.IdentityOf(owner.Projection, rule)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := destination.Render(object, id, specOf(rule), "v1.36.0"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCopy is what is done for each copy that is written, up to the body of the request.
func BenchmarkCopy(b *testing.B) {
	rule := newRule()
	renderer, err := destination.Render(source(b, original), owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		desired, err := renderer.Copy(destination.Target{Namespace: "away"})
		if err != nil {
			b.Fatal(err)
		}
		resource, err := desired.Resource(nil)
		if err != nil {
			b.Fatal(err)
		}
		object, err := resource.PreviewObject()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := object.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}
