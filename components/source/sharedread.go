package source

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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
	key := objectKey{user, kind.GroupVersionResource(), types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}}
	if resourceVersion == "" {
		object, err := r.Read(ctx, user, kind, ref, "")
		if err == nil {
			r.kept.add(key, object.DeepCopy())
		}
		return object, err
	}
	if object := r.kept.get(key, resourceVersion); object != nil {
		return object.DeepCopy(), nil
	}
	answer := r.requests.DoChan(fmt.Sprintf("%#v %s", key, resourceVersion), func() (read any, err error) {
		err = panics.Catch(func() (err error) {
			read, err = r.readAndKeep(context.WithoutCancel(ctx), key, kind, ref, resourceVersion)
			return err
		}, func(p panics.Panic) error {
			p.Log(log.FromContext(ctx), errPanic)
			return errPanic
		})
		return read, err
	})
	select {
	case ended := <-answer:
		if object, ok := ended.Val.(*unstructured.Unstructured); ok && ended.Err == nil {
			return object.DeepCopy(), nil
		}
		return nil, ended.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("read the source %s %s/%s: %w", kind.Kind, ref.Namespace, ref.Name, ctx.Err())
	}
}

// readAndKeep reads the source, unless the version was read since the caller looked.
func (r *Reader) readAndKeep(
	ctx context.Context, key objectKey, kind Kind, ref v1.SourceRef, resourceVersion string,
) (*unstructured.Unstructured, error) {
	if object := r.kept.get(key, resourceVersion); object != nil {
		return object, nil
	}
	object, err := r.Read(ctx, key.user, kind, ref, resourceVersion)
	if err != nil {
		return nil, err
	}
	r.kept.add(key, object)
	return object, nil
}
