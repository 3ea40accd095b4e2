package source

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// Reader reads sources from one API server as one user. It is safe for concurrent use.
type Reader struct {
	client   dynamic.Interface
	requests singleflight.Group
	kept     keptObjects
}

// NewReader returns a reader that uses the client.
func NewReader(client dynamic.Interface) *Reader { return &Reader{client: client} }

// Read returns the source as it is at the resourceVersion or later; an empty one asks for the newest. It returns
// ErrGone if, and only if, the API server says that this very object does not exist.
func (r *Reader) Read(ctx context.Context, kind Kind, ref v1.SourceRef, resourceVersion string) (*unstructured.Unstructured, error) {
	objects := r.client.Resource(kind.GroupVersionResource()).Namespace(ref.Namespace)
	object, err := get(ctx, objects, ref.Name, resourceVersion)
	switch {
	case err == nil:
		return object, nil
	case apierr.IsObjectNotFound(err, ref.Name):
		return nil, ErrNotFound
	default:
		return nil, apierr.Redact(kind.GroupVersionResource().GroupResource(), err)
	}
}

// readTimeout is how long one read of a source may take.
const readTimeout = 15 * time.Second

// staleTimeout is how long the API server that answers may take to see a version that an event had already.
const staleTimeout = 2 * time.Second

func get(ctx context.Context, objects dynamic.ResourceInterface, name, resourceVersion string) (*unstructured.Unstructured, error) {
	if resourceVersion != "" {
		patient, cancel := context.WithTimeout(ctx, staleTimeout)
		defer cancel()
		object, err := objects.Get(patient, name, metav1.GetOptions{ResourceVersion: resourceVersion})
		if patient.Err() == nil && !apierrors.IsTimeout(err) {
			return object, err
		}
	}
	// The newest is never behind a version that was seen.
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return objects.Get(ctx, name, metav1.GetOptions{})
}
