package projector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
)

func recording(record string) *v1.ClusterProjection {
	rule := newRule()
	rule.Annotations = map[string]string{v1.AnnotationWrittenKinds: record}
	return rule
}

func TestRecordOfKindsIsReadAsWritten(t *testing.T) {
	kinds := []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Kind: "Secret"}, {Group: "a.b.example.com", Kind: "Widget"}}
	record := kindNames(kinds)
	assert.Equal(t, "Deployment.apps,Secret,Widget.a.b.example.com", record)
	assert.Equal(t, kinds, recordedKinds(recording(record)))
	assert.Equal(t, record, kindNames(recordedKinds(recording(record))))
}

func TestRecordOfKindsIsSortedAndHasEachOnce(t *testing.T) {
	secret, deployment := schema.GroupKind{Kind: "Secret"}, schema.GroupKind{Group: "apps", Kind: "Deployment"}
	assert.Equal(t, "Deployment.apps,Secret", kindNames([]schema.GroupKind{secret, deployment, secret}))
	assert.Empty(t, kindNames(nil))
}

func TestJunkInTheRecordIsPassedOver(t *testing.T) {
	secret := schema.GroupKind{Kind: "Secret"}
	tests := map[string][]schema.GroupKind{
		"":                  nil,
		",":                 nil,
		" , ,":              nil,
		".apps":             nil,
		"Secret":            {secret},
		",Secret,":          {secret},
		" Secret\n,\t":      {secret},
		".apps,Secret":      {secret},
		"Secret,Deployment": {secret, {Kind: "Deployment"}},
	}
	for record, kinds := range tests {
		assert.Equal(t, kinds, recordedKinds(recording(record)), "%q", record)
	}
	assert.Empty(t, recordedKinds(newRule()), "a rule without a record")
}
