package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

// TestSourceOfACopyElsewhere has a copy in another cluster tell of which source it is, and not the name of that.
func TestSourceOfACopyElsewhere(t *testing.T) {
	source := v1.SourceRef{Kind: "Secret", Namespace: "payroll", Name: "salaries"}
	name := nameElsewhere(owner.Spec{Source: source})
	said := mutations.SourceName("", source.GroupKind(), name)
	assert.NotContains(t, said, "payroll")
	assert.NotContains(t, said, "salaries")
	copied := State{Content: contentOf(map[string]string{v1.AnnotationContentHash: "hash", v1.AnnotationSource: said})}
	assert.True(t, copied.IsOf(source))
	assert.True(t, copied.isOfSecret())
	for _, other := range []v1.SourceRef{
		{Kind: "Secret", Namespace: "payroll", Name: "others"}, {Kind: "ConfigMap", Namespace: "payroll", Name: "salaries"},
		{Cluster: "east", Kind: "Secret", Namespace: "payroll", Name: "salaries"},
	} {
		assert.False(t, copied.IsOf(other), other)
		assert.True(t, copied.IsOfAnother(other), other)
	}
	assert.False(t, State{}.IsOf(source))
	assert.Empty(t, nameElsewhere(owner.Spec{Source: v1.SourceRef{Kind: "Secret", Namespace: "payroll", Selector: &v1.SourceSelector{}}}.For("salaries")))
	assert.Empty(t, nameElsewhere(owner.Spec{Source: source, Merge: v1.MergeSpec{Layers: []v1.LayerSpec{{}}}}))
}
