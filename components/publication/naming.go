package publication

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Origin is where the object of a consumer is.
type Origin struct {
	// Cluster is the identity of the consumer's cluster: the uid of its namespace kube-system.
	Cluster string
	// Namespace of the object; empty: its kind is cluster-scoped.
	Namespace string
	Name      string
}

const (
	// hashLength is how many hexadecimal digits of a hash are in a name: nobody finds another origin with the same hash.
	hashLength = 32
	// maxLength is how long a namespace may be, and how long the name of a copy is at most. Names of objects may have 253 characters, but
	// controllers make Services and values of labels of them, which may not.
	maxLength       = validation.DNS1123LabelMaxLength
	namespacePrefix = "consumer-"
)

// Name returns the place of the copy by default. All objects of one cluster share a namespace, and no two origins share a place. The copy of a
// cluster-scoped object has no namespace.
func Name(of Origin) types.NamespacedName {
	place := types.NamespacedName{Name: named(of.Name, hash(of.Cluster, of.Namespace, of.Name))}
	if of.Namespace != "" {
		place.Namespace = namespacePrefix + hash(of.Cluster)
	}
	return place
}

// named returns the hash, after as much of the name as there is room for. The hash alone tells names apart.
func named(name, hash string) string {
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return hash
	}
	shown := name[:min(len(name), maxLength-len(hash)-1)]
	return strings.TrimRight(shown, "-.") + "-" + hash
}

// hash returns a hash of the texts in their order.
func hash(texts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", texts))
	return hex.EncodeToString(sum[:])[:hashLength]
}
