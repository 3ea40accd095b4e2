package destination

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/answer"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// requestTimeout is how long one request for a copy may take: as long as an API server works on it by default.
const requestTimeout = time.Minute

// limited returns a context for one request.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTimeout)
}

// maxTries bounds how often one pass looks again after a precondition failed. Whoever writes that often is waited out
// with backoff.
const maxTries = 4

// Writer applies and deletes copies. It is safe for concurrent use.
type Writer struct {
	// Client is what components are converged with. Copies themselves go through Metadata: the answer to a write is
	// metadata, too, since nothing else of it is needed.
	Client   client.Client
	Metadata metadata.Interface
	// Obstacles is told of objects in the way before they are looked at.
	Obstacles Obstacles
}

// Obstacles are the objects in the way of copies. They are of the kind of the rule's source.
type Obstacles interface {
	// Block begins to wait for news of what is at the place.
	Block(rule watch.Rule, kind schema.GroupVersionResource, at types.NamespacedName)
	// Unblock takes a Block back.
	Unblock(rule watch.Rule, kind schema.GroupVersionResource, at types.NamespacedName)
	// Judge notes what was found to be wrong with the object at the place after Block. The rule is woken when that may have
	// changed.
	Judge(rule watch.Rule, kind schema.GroupVersionResource, object metav1.Object, verdict error)
	// Verdict returns what was noted last; nil if nothing was, or if it may have changed since.
	Verdict(rule watch.Rule, kind schema.GroupVersionResource, at types.NamespacedName) error
}

// Desk is what one rule needs to write copies of one kind.
type Desk struct {
	Owner    owner.Identity
	Rule     owner.Object
	Resource schema.GroupVersionResource
	Ledger   *Ledger
	// Withdrawn is called right before a copy is written. It reports whether the rule wants no copy in the namespace any more.
	// It may be nil.
	Withdrawn func(namespace string) bool
}

func (d Desk) waker() watch.Rule {
	return watch.Rule{Kind: d.Owner.Tier.Kind, NamespacedName: d.Owner.Key()}
}

// sentence words a failure of a request about a copy.
func (d Desk) sentence(err error) string {
	return answer.Sentence(d.veil(err))
}

// veil keeps an error of a request about a copy, or what may be one, from quoting a Secret.
func (d Desk) veil(err error) error { return answer.Veil(d.Resource.GroupResource(), err) }

// look reads the metadata of an object as it is now. The State of an object that does not exist is zero.
func (w *Writer) look(ctx context.Context, desk Desk, at types.NamespacedName) (*metav1.PartialObjectMetadata, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	object, err := w.Metadata.Resource(desk.Resource).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	if answer.Missing(err, at.Name) {
		return &metav1.PartialObjectMetadata{}, nil
	}
	return object, desk.veil(err)
}
