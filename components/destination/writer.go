package destination

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// requestTimeout is how long one request for a copy may take: as long as an API server works on it by default.
const requestTimeout = time.Minute

// withTimeout returns a context for one request.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, requestTimeout)
}

// maxTries is how often a copy is written while preconditions fail, since somebody else writes it as well. After that, the rule is
// retried with backoff.
const maxTries = 4

// Writer applies and deletes copies. Their content is written in the name of the rule's user. The operator itself reads metadata and deletes:
// a rule can end when its service account is gone. Writer is safe for concurrent use.
type Writer struct {
	// Client is what components are converged with. Copies themselves go through Metadata: the answer to a write is
	// metadata, too, since nothing else of it is needed.
	Client   client.Client
	Metadata metadata.Interface
	// Writes is used for the requests that write the content of copies. They name the users in whose names they are made.
	Writes metadata.Interface
	// Objects reads whole objects in the place of copies. Its requests name their users, as those of Writes do.
	Objects dynamic.Interface
	// Access asks what the user may do whom its requests name.
	Access authorizationclient.SelfSubjectAccessReviewInterface
	// Blockers watches objects in the place of a copy before they are read.
	Blockers Blockers
}

// Blockers are the objects in the way of copies. They are of the kind of the copies.
type Blockers interface {
	// Watch begins to watch the object at the place. It is called before the object is read.
	Watch(ctx context.Context, rule watch.RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) error
	// Unwatch takes a Watch back.
	Unwatch(rule watch.RuleKey, kind schema.GroupVersionResource, at types.NamespacedName)
	// SetFinding notes what was found to be wrong with the object when it was read after Watch. The rule is enqueued when that
	// may have changed. A finding that has a watch.Scope says which changes matter to it.
	SetFinding(rule watch.RuleKey, kind schema.GroupVersionResource, object metav1.Object, finding error)
	// Finding returns what was noted last; nil if nothing was, or if it may have changed since.
	Finding(rule watch.RuleKey, kind schema.GroupVersionResource, at types.NamespacedName) error
}

// CopySet is what one rule needs to write copies of one kind.
type CopySet struct {
	Owner owner.Identity
	// User is in whose name copies are written.
	User impersonate.User
	// OnConflict says what becomes of a copy if a foreign object is in its place; empty: the object is left alone.
	OnConflict v1.ConflictPolicy
	// Cluster is the name of the cluster; empty: the cluster of the rules.
	Cluster  string
	Rule     owner.Object
	Resource schema.GroupVersionResource
	// FromSecret reports whether the source is a Secret. Then no message quotes the copies, of whichever kind they are. Nor does a message
	// quote a copy that names a Secret as its source, if the rule has another source now.
	FromSecret bool
	Cache      *CopyCache
	// Clean are the Fields that need not be looked at. It may be nil if the rule copies all fields.
	Clean *CleanFields
	// Withdrawn is called right before a copy is written. It reports whether the rule wants no copy in the namespace any more.
	// It may be nil.
	Withdrawn func(namespace string) bool
	// Recreations are the copies that the rule recreates if they cannot be changed in place; nil: it recreates none.
	Recreations *Recreations
	// ObserveAdoption is called when an object that is in the place of a copy was adopted, or was not. It may be nil.
	ObserveAdoption func(result metrics.Adoption)
	// Suspended is called right before each request that changes or deletes a copy. It reports whether the rule is suspended by now. It may
	// be nil.
	Suspended func() bool
}

func (s CopySet) ruleKey() watch.RuleKey {
	return watch.RuleKey{Kind: s.Owner.Kind.String(), NamespacedName: s.Owner.Key()}
}

// redact keeps an error of a request about a copy, or what may be one, from quoting a Secret.
func (s CopySet) redact(err error) error {
	if s.FromSecret {
		return apierr.RedactSecret(err)
	}
	return apierr.Redact(s.Resource.GroupResource(), err)
}

// getMetadata reads the metadata of an object as it is now. The State of an object that does not exist is zero.
func (w *Writer) getMetadata(ctx context.Context, set CopySet, at types.NamespacedName) (*metav1.PartialObjectMetadata, error) {
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	object, err := w.Metadata.Resource(set.Resource).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	if apierr.IsObjectNotFound(err, at.Name) {
		return &metav1.PartialObjectMetadata{}, nil
	}
	return object, set.redact(err)
}
