package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

func TestStampSource(t *testing.T) {
	in := func(kind string) mutations.Input {
		return mutations.Input{Kind: schema.GroupKind{Kind: kind}, SourceUID: "0b1f"}
	}
	run(t, mutations.StampSource, in("ConfigMap"), []row{
		{
			name:   "an immutable ConfigMap",
			before: `{immutable: true, metadata: {annotations: {note: kept}}}`,
			after:  `{immutable: true, metadata: {annotations: {note: kept, projection.sh/source-uid: 0b1f}}}`,
		},
		{name: "a ConfigMap", before: `{metadata: {name: a}}`},
		{name: "a ConfigMap that says that it is not", before: `{immutable: false, metadata: {name: a}}`},
		{name: "a ConfigMap of another shape", before: `{immutable: "true", metadata: {name: a}}`},
	})
	run(t, mutations.StampSource, in("Secret"), []row{{
		name: "a Secret", before: `{metadata: {name: a}}`, after: `{metadata: {name: a, annotations: {projection.sh/source-uid: 0b1f}}}`,
	}})
	named := in("Secret")
	named.Source = types.NamespacedName{Namespace: "home", Name: "token"}
	run(t, mutations.StampSource, named, []row{{
		name: "its name, too", before: `{metadata: {name: a, annotations: {note: kept, projection.sh/source: Secret/away/forged}}}`,
		after: `{metadata: {name: a, annotations: {note: kept, projection.sh/source: Secret/home/token, projection.sh/source-uid: 0b1f}}}`,
	}})
	run(t, mutations.StampSource, mutations.Input{Kind: schema.GroupKind{Group: "apps", Kind: "Deployment"}, Source: named.Source}, []row{{
		name: "its name alone", before: `{metadata: {name: a}}`, after: `{metadata: {name: a, annotations: {projection.sh/source: Deployment.apps/home/token}}}`,
	}})
	run(t, mutations.StampSource, in("Role"), []row{{name: "a Role", before: `{immutable: true, metadata: {name: a}}`}})
	run(t, mutations.StampSource, mutations.Input{Kind: schema.GroupKind{Kind: "Secret"}}, []row{{name: "not asked for", before: `{metadata: {name: a}}`}})
}

func TestSourceIsOutsideOfTheContentHash(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byClusterProjection)
			without := mustRender(t, in, placed(source, "a", "copy"))
			in.Source, in.SourceUID = types.NamespacedName{Namespace: "home", Name: "settings"}, "0b1f"
			with := mustRender(t, in, placed(source, "a", "copy"))
			assert.Equal(t, mutations.ContentHash(without), mutations.ContentHash(with))
			assert.NotContains(t, without.GetAnnotations(), v1.AnnotationSourceUID)
			assert.NotContains(t, without.GetAnnotations(), v1.AnnotationSource)
			assert.Equal(t, in.Kind.String()+"/home/settings", with.GetAnnotations()[v1.AnnotationSource])
			assert.Equal(t, with, mustRender(t, in, with), "its own result")
		})
	}
}
