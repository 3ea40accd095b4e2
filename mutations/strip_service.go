package mutations

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// headless is a cluster IP that is no allocation but the wish to have none.
const headless = "None"

// stripService drops addresses, address families and node ports: each is allocated from a pool of the whole cluster.
// A Service that is headless stays so.
func stripService(in Input) unstructured.Mutation {
	return strip(StripService, in, allocated{
		kind: schema.GroupKind{Kind: "Service"},
		fields: [][]string{
			{specField, "clusterIPs"},
			{specField, "ipFamilies"},
			{specField, "ipFamilyPolicy"},
			{specField, "healthCheckNodePort"},
		},
		further: func(content map[string]any) {
			spec := child(content, specField)
			if text(spec, "clusterIP") != headless {
				delete(spec, "clusterIP")
			}
			for _, port := range items(spec, "ports") {
				delete(port, "nodePort")
			}
		},
	})
}
