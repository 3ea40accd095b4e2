package source

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/panics"
)

// ReadShared does as Read, for a source that several rules copy: callers that ask for the same version in the name of the same user share
// one request, and what was read of exactly that version is used again for a moment. An empty version asks for the newest, which is always
// a request of its own. The caller may change the object.
//
// Example: 150 rules copy one source, and its owner edits it. The event of the edit has all rules ask for the new version. The first one
// reads it.
func (r *Reader) ReadShared(
	ctx context.Context, user impersonate.User, kind Kind, ref v1.SourceRef, resourceVersion string,
) (*unstructured.Unstructured, error) {
	read := func(ctx context.Context) (*unstructured.Unstructured, error) {
		return r.Read(ctx, user, kind, ref, resourceVersion)
	}
	return r.share(ctx, sharedRead{user, keyOf(kind, ref), resourceVersion, read})
}

// ReadMetadataShared does as ReadMetadata, and shares reads as ReadShared does.
//
// Example: the service accounts of 150 rules lose a role, and the owner of their source edits it.
func (r *Reader) ReadMetadataShared(ctx context.Context, kind Kind, ref v1.SourceRef, resourceVersion string) (*unstructured.Unstructured, error) {
	key := keyOf(kind, ref)
	key.metadata = true
	read := func(ctx context.Context) (*unstructured.Unstructured, error) { return r.ReadMetadata(ctx, kind, ref) }
	return r.share(ctx, sharedRead{impersonate.Operator(), key, resourceVersion, read})
}

// sharedRead is a read that several callers may ask for at a time.
type sharedRead struct {
	user    impersonate.User
	key     objectKey
	version string
	do      func(context.Context) (*unstructured.Unstructured, error)
}

func (r *Reader) share(ctx context.Context, read sharedRead) (*unstructured.Unstructured, error) {
	if read.version == "" {
		object, err := read.do(ctx)
		if err == nil {
			r.kept.add(read.key, read.user, object.DeepCopy())
		}
		return object, err
	}
	if object := r.kept.get(read.key, read.user, read.version); object != nil {
		return object.DeepCopy(), nil
	}
	answer := r.requests.DoChan(fmt.Sprintf("%#v %#v %s", read.user, read.key, read.version), func() (object any, err error) {
		err = panics.Catch(func() (err error) {
			object, err = r.readAndKeep(context.WithoutCancel(ctx), read)
			return err
		}, func(p panics.Panic) error {
			p.Log(log.FromContext(ctx), errPanic)
			return errPanic
		})
		return object, err
	})
	select {
	case ended := <-answer:
		if object, ok := ended.Val.(*unstructured.Unstructured); ok && ended.Err == nil {
			return object.DeepCopy(), nil
		}
		return nil, ended.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("read the source %s %s: %w", read.key.resource.Resource, read.key.at, ctx.Err())
	}
}

// readAndKeep reads the source, unless the version was read since the caller looked.
func (r *Reader) readAndKeep(ctx context.Context, read sharedRead) (*unstructured.Unstructured, error) {
	if object := r.kept.get(read.key, read.user, read.version); object != nil {
		return object, nil
	}
	object, err := read.do(ctx)
	if err != nil {
		return nil, err
	}
	r.kept.add(read.key, read.user, object)
	return object, nil
}
