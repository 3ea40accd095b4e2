package publication

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
)

// relatedPlace is where the copy of a related object is.
type relatedPlace struct {
	side string
	kind string
	at   types.NamespacedName
}

func (s relatedSide) place(at types.NamespacedName) relatedPlace {
	return relatedPlace{s.side.name, s.kind.kind().String(), at}
}

// naming is whether an object names a related object.
type naming int

const (
	// namesNot says that it does not.
	namesNot naming = iota
	// namesIt says that it does.
	namesIt
	// namesAnother says that it names one that has the same copy, and another source.
	namesAnother
	// notKnown says that no pass has looked at the object yet.
	notKnown
)

// claim has the copy be written for the object of this pass, or for another object of the same consumer that names the same related object. A problem says
// that something else is in the place of the copy.
func (p *pass) claim(live, wanted *unstructured.Unstructured, to relatedSide, of pair) *problem {
	if live == nil || p.ownsRelated(live) {
		return nil
	}
	origin, uid, found := originOf(live)
	by := "it is not that of this object"
	if found && p.offer.marks.own(live) {
		if origin.Cluster == p.origin.Cluster {
			switch p.c.naming(origin.key(), of) {
			case namesIt:
				p.mark(wanted, origin, uid)
				return nil
			case namesNot:
				return nil
			case notKnown:
				return &problem{v1alpha1.ReasonRelatedFailed, "it waits until it is known what " + origin.key().String() + " names", false}
			case namesAnother:
			}
		}
		by = p.describe(origin) + ", with another related object; name another one"
	}
	return &problem{v1alpha1.ReasonNameConflict, fmt.Sprintf("the copy of the related %s would be %s in %s, which exists: %s; it is left alone",
		wanted.GetKind(), of.to, to.side, by), true}
}

// naming returns whether the object names the related one.
func (c *consumer) naming(key types.NamespacedName, of pair) naming {
	hasCopy := false
	if v, ready := c.p.view(); ready {
		_, hasCopy = v.copies.of(Origin{Cluster: c.identity(), Namespace: key.Namespace, Name: key.Name})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pairs, known := c.pairs[key]
	if _, exists := c.seen[key]; !known && (exists || hasCopy) {
		return notKnown
	}
	for _, other := range pairs {
		if other.to != of.to || other.of.Origin != of.of.Origin || other.of.Resource != of.of.Resource {
			continue
		}
		if other.from != of.from {
			return namesAnother
		}
		return namesIt
	}
	return namesNot
}

// others returns the other objects that name the related object whose copy is at the place.
func (c *consumer) others(key types.NamespacedName, of v1alpha1.RelatedResource, at types.NamespacedName) (others []types.NamespacedName) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other, pairs := range c.pairs {
		for _, pair := range pairs {
			if other != key && pair.to == at && pair.of.Origin == of.Origin && pair.of.Resource == of.Resource {
				others = append(others, other)
				break
			}
		}
	}
	return others
}

// pairsOf returns what the object is known to name; nil: that is not known.
func (c *consumer) pairsOf(key types.NamespacedName) []pair {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pairs[key]
}

func (c *consumer) setPairs(key types.NamespacedName, pairs []pair) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pairs[key] = append([]pair{}, pairs...)
}
