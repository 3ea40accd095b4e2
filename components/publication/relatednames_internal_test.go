package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/api/v1alpha1"
)

// TestConsumerCannotChooseAnObjectOfTheService has a related object of each side named by spec.tls.secretName.
func TestConsumerCannotChooseAnObjectOfTheService(t *testing.T) {
	const path = "spec.tls.secretName"
	references := []v1alpha1.Reference{{Path: `spec["tls"].secretName`, Related: "tls"}}
	others := []v1alpha1.Reference{{Path: "spec.other", Related: "tls"}}
	fields := []v1alpha1.ServiceField{{Path: path, Expression: "'tls-' + hash(object.metadata.name)"}}
	for name, test := range map[string]struct {
		origin  v1alpha1.RelatedOrigin
		by      v1alpha1.ServiceMutation
		refused bool
	}{
		"the consumer's":           {v1alpha1.OriginConsumer, v1alpha1.ServiceMutation{}, false},
		"named by the consumer":    {v1alpha1.OriginService, v1alpha1.ServiceMutation{}, true},
		"another path":             {v1alpha1.OriginService, v1alpha1.ServiceMutation{References: others}, true},
		"a reference":              {v1alpha1.OriginService, v1alpha1.ServiceMutation{References: references}, false},
		"an expression":            {v1alpha1.OriginService, v1alpha1.ServiceMutation{Fields: fields}, true},
		"an expression without it": {v1alpha1.OriginService, v1alpha1.ServiceMutation{Fields: fields, Exclude: []string{path}}, false},
		"no name":                  {v1alpha1.OriginService, v1alpha1.ServiceMutation{Exclude: []string{path}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			resource := &v1alpha1.PublishedResource{}
			resource.Spec.Mutation.ToService = test.by
			resource.Spec.Related = []v1alpha1.RelatedResource{{
				Name: "tls", Origin: test.origin, Resource: v1alpha1.RelatedKind{Kind: "Secret"}, Path: path,
			}}
			o, err := newOffer(resource, "hub")
			require.Len(t, o.related, 1)
			if !test.refused {
				require.NoError(t, err)
				return
			}
			assert.EqualError(t, err, "related[0].path: a consumer could name any Secret in the namespace of its copies, also those of others; "+
				"list spec.tls.secretName in mutation.toService.references, or in both exclude and fields of mutation.toService")
		})
	}
}
