package source

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
)

// Reader reads sources from one API server. It is safe for concurrent use.
type Reader struct {
	content  dynamic.Interface
	metadata metadata.Interface
	requests singleflight.Group
	kept     keptObjects
}

// NewReader returns a reader of content, whose requests name their users, and of metadata, which the operator reads itself.
func NewReader(content dynamic.Interface, metadata metadata.Interface) *Reader {
	return &Reader{content: content, metadata: metadata}
}

// Read returns the source as it is at the resourceVersion or later, in the name of the user; an empty version asks for the newest. It
// returns ErrNotFound if, and only if, the API server says that this very object does not exist.
func (r *Reader) Read(
	ctx context.Context, user impersonate.User, kind Kind, ref v1.SourceRef, resourceVersion string,
) (*unstructured.Unstructured, error) {
	objects := r.content.Resource(kind.GroupVersionResource()).Namespace(ref.Namespace)
	object, err := get(impersonate.As(ctx, user), objects, ref.Name, resourceVersion)
	if err != nil {
		return nil, readFailed(kind, ref, err)
	}
	return object, nil
}

// ReadMetadata returns what the operator itself is told of the source: its kind and its metadata, and no content. It returns ErrNotFound as
// Read does.
func (r *Reader) ReadMetadata(ctx context.Context, kind Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	read, err := r.metadata.Resource(kind.GroupVersionResource()).Namespace(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if err != nil {
		return nil, readFailed(kind, ref, err)
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&metav1.PartialObjectMetadata{ObjectMeta: read.ObjectMeta})
	if err != nil {
		return nil, readFailed(kind, ref, err)
	}
	object := &unstructured.Unstructured{Object: fields}
	object.SetGroupVersionKind(kind.GroupVersionKind)
	return object, nil
}

func readFailed(kind Kind, ref v1.SourceRef, err error) error {
	if apierr.IsObjectNotFound(err, ref.Name) {
		return ErrNotFound
	}
	return apierr.Redact(kind.GroupVersionResource().GroupResource(), err)
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
