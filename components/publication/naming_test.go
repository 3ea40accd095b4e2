package publication_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"projection.sh/operator/components/publication"
)

const (
	eu = "0b6f2f7c-0c53-4c0f-9a55-3d1b6f2f7c10"
	us = "6f2d1e4a-0c53-4c0f-9a55-3d1b6f2f7c11"
	// inEU is the namespace of copies of the first cluster.
	inEU = "consumer-067dd0e36bec0eb21fc73b54edd6a492"
)

// The places of copies are not recorded anywhere but in the copies: another place would be another copy.
func TestName(t *testing.T) {
	tests := map[string]struct {
		of   publication.Origin
		want types.NamespacedName
	}{
		"namespaced":     {publication.Origin{Cluster: eu, Namespace: "shop", Name: "www"}, types.NamespacedName{Namespace: inEU, Name: "www-85659f099fd226c4017b745b09b77caa"}},
		"cluster-scoped": {publication.Origin{Cluster: eu, Name: "www"}, types.NamespacedName{Name: "www-7df00c99513f3af0b5cb8fe303f19ac7"}},
		"long": {
			publication.Origin{Cluster: eu, Namespace: "shop", Name: strings.Repeat("w", 253)},
			types.NamespacedName{Namespace: inEU, Name: strings.Repeat("w", 30) + "-781e74e1dba5c9a1a0d09fb7b452c085"},
		},
		"cut at a dot": {
			publication.Origin{Cluster: eu, Namespace: "shop", Name: strings.Repeat("w", 29) + ".example.com"},
			types.NamespacedName{Namespace: inEU, Name: strings.Repeat("w", 29) + "-1f0d4d77140f2defead01cc67db8de18"},
		},
		"no name": {publication.Origin{Cluster: eu, Namespace: "shop", Name: "system:node"}, types.NamespacedName{Namespace: inEU, Name: "9691c2bd4c9cbfcd39e960b6cb45f84e"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, publication.Name(test.of)) })
	}
}

func TestNoTwoOriginsShareAPlace(t *testing.T) {
	long := strings.Repeat("w", 250)
	seen := map[types.NamespacedName]publication.Origin{}
	for _, of := range []publication.Origin{
		{Cluster: eu, Namespace: "a", Name: "b"}, {Cluster: us, Namespace: "a", Name: "b"}, {Cluster: eu, Namespace: "b", Name: "b"},
		{Cluster: eu, Namespace: "a", Name: "c"}, {Cluster: eu, Name: "b"}, {Cluster: us, Name: "b"},
		{Cluster: eu, Namespace: "a", Name: long + "a"}, {Cluster: eu, Namespace: "a", Name: long + "b"},
		{Cluster: eu, Namespace: "a", Name: `b" "C`}, {Cluster: eu, Namespace: `a" "b`, Name: "C"},
		{Cluster: eu, Namespace: "a", Name: "\xff"}, {Cluster: eu, Namespace: "a", Name: "\xfe"},
	} {
		place := publication.Name(of)
		assert.NotContains(t, seen, place, "%v and %v", of, seen[place])
		seen[place] = of
	}
}

// FuzzNaming names the copies of two objects: names that Kubernetes allows, and the same place for the same object only.
func FuzzNaming(f *testing.F) {
	f.Add(eu, "shop", "www", us, "shop", "www")
	f.Add(eu, "shop", "www", eu, "", "www")
	f.Add(eu, "a", strings.Repeat("w", 253), eu, "a", strings.Repeat("w", 252))
	f.Fuzz(func(t *testing.T, clusterA, namespaceA, nameA, clusterB, namespaceB, nameB string) {
		a := publication.Origin{Cluster: clusterA, Namespace: namespaceA, Name: nameA}
		b := publication.Origin{Cluster: clusterB, Namespace: namespaceB, Name: nameB}
		for _, of := range []publication.Origin{a, b} {
			place := publication.Name(of)
			require.Empty(t, validation.IsDNS1123Subdomain(place.Name))
			require.LessOrEqual(t, len(place.Name), 63)
			require.Equal(t, of.Namespace == "", place.Namespace == "")
			if place.Namespace != "" {
				require.Empty(t, validation.IsDNS1123Label(place.Namespace))
			}
		}
		require.Equal(t, a == b, publication.Name(a) == publication.Name(b))
	})
}
