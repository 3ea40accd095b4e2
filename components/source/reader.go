package source

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/answer"
)

// Reader reads sources from the API server.
type Reader struct {
	client dynamic.Interface
}

// NewReader returns a reader that uses the client.
func NewReader(client dynamic.Interface) *Reader { return &Reader{client: client} }

// Read returns the source as it is at the resourceVersion or later; an empty one asks for the newest. It returns
// ErrGone if, and only if, the API server says that this very object does not exist.
func (r *Reader) Read(ctx context.Context, kind Kind, ref v1.SourceRef, resourceVersion string) (*unstructured.Unstructured, error) {
	objects := r.client.Resource(kind.GroupVersionResource()).Namespace(ref.Namespace)
	object, err := objects.Get(ctx, ref.Name, metav1.GetOptions{ResourceVersion: resourceVersion})
	if resourceVersion != "" && apierrors.IsTimeout(err) {
		// The answering API server has not seen that version; the newest is never behind it.
		object, err = objects.Get(ctx, ref.Name, metav1.GetOptions{})
	}
	switch {
	case err == nil:
		return object, nil
	case answer.Missing(err, ref.Name):
		return nil, ErrGone
	default:
		return nil, fmt.Errorf("read the source %s %s/%s: %w", kind.Kind, ref.Namespace, ref.Name, err)
	}
}
