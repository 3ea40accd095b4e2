package access

import (
	"context"
	"errors"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/owner"
)

// List says which objects are followed.
type List struct {
	Resource  schema.GroupVersionResource
	Namespace string
	// Labels and Fields are selectors; empty: all objects.
	Labels, Fields string
}

// Observer learns of the objects of a list, one at a time.
type Observer[T any] struct {
	// Set is called with each object that there is, and again when it has changed, and Removed when it is no more in the list.
	Set, Removed func(T)
	// Listed is called once, when all objects have been listed for the first time.
	Listed func()
	// Answered is called after each request, with its error if it has failed and is made again; nil: it is not called.
	Answered func(error)
}

// FollowMetadata calls the observer with the metadata of the objects of a list, without their managed fields, until the context ends. An error says
// that the list may not be followed.
func (c *Cluster) FollowMetadata(ctx context.Context, list List, observer Observer[*metav1.PartialObjectMetadata]) error {
	objects := c.Metadata.Resource(list.Resource).Namespace(list.Namespace)
	return follow(ctx, &listWatch{
		list: list,
		get: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			found, err := objects.List(ctx, options)
			if err != nil {
				return nil, err
			}
			for i := range found.Items {
				found.Items[i].ManagedFields = nil
			}
			return found, nil
		},
		follow: objects.Watch,
	}, &metav1.PartialObjectMetadata{}, observer)
}

// FollowRules calls the observer with the rules of a list until the context ends. An error says that the list may not be followed.
func (c *Cluster) FollowRules(ctx context.Context, kind owner.RuleKind, list List, observer Observer[Rule]) error {
	list.Resource = ResourceOf(kind)
	objects := c.Content.Resource(list.Resource).Namespace(list.Namespace)
	rulesTo := func(do func(Rule)) func(*unstructured.Unstructured) {
		return func(object *unstructured.Unstructured) {
			if rule, err := RuleOf(kind, object.DeepCopy()); err == nil { // the API server has checked it
				do(rule)
			}
		}
	}
	return follow(ctx, &listWatch{
		list: list,
		get: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, options)
		},
		follow: objects.Watch,
	}, &unstructured.Unstructured{}, Observer[*unstructured.Unstructured]{rulesTo(observer.Set), rulesTo(observer.Removed), observer.Listed, observer.Answered})
}

// listWatch lists objects page by page, and watches them.
type listWatch struct {
	list   List
	get    func(context.Context, metav1.ListOptions) (runtime.Object, error)
	follow func(context.Context, metav1.ListOptions) (watch.Interface, error)
	// answered learns of the answer to each request; nil: nobody asks.
	answered func(error)
}

var _ cache.ListerWatcherWithContext = (*listWatch)(nil)

// IsWatchListSemanticsUnSupported has the objects listed page by page, and not sent in one stream.
func (l *listWatch) IsWatchListSemanticsUnSupported() bool { return true }

func (l *listWatch) List(options metav1.ListOptions) (runtime.Object, error) {
	return l.ListWithContext(context.Background(), options)
}

func (l *listWatch) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return l.WatchWithContext(context.Background(), options)
}

// ListWithContext returns a page. The API server ignores the size of pages of a list that may be old.
func (l *listWatch) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.ResourceVersion == "0" {
		options.ResourceVersion = ""
	}
	found, err := l.get(ctx, l.selected(options))
	l.note(ctx, err)
	return found, err
}

func (l *listWatch) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	followed, err := l.follow(ctx, l.selected(options))
	l.note(ctx, err)
	return followed, err
}

// note says whether a request has failed. One that lists again, since the last list is too old, has not.
func (l *listWatch) note(ctx context.Context, err error) {
	if l.answered == nil || ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return
	}
	l.answered(err)
}

func (l *listWatch) selected(options metav1.ListOptions) metav1.ListOptions {
	options.LabelSelector, options.FieldSelector = l.list.Labels, l.list.Fields
	return options
}

// follow calls the observer until the context ends.
func follow[T runtime.Object](ctx context.Context, list *listWatch, example T, observer Observer[T]) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	list.answered = observer.Answered
	informer := cache.NewSharedIndexInformerWithOptions(list, example, cache.SharedIndexInformerOptions{})
	if err := informer.SetTransform(withoutManagedFields); err != nil {
		return err
	}
	err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if isFinal(err) {
			stop(err)
		}
	})
	if err != nil {
		return err
	}
	registered, err := informer.AddEventHandler(handlerOf(observer))
	if err != nil {
		return err
	}
	go func() {
		if cache.WaitFor(ctx, "", registered.HasSyncedChecker()) {
			observer.Listed()
		}
	}()
	informer.RunWithContext(ctx)
	if failed := context.Cause(ctx); isFinal(failed) {
		return failed
	}
	return nil
}

func withoutManagedFields(object any) (any, error) {
	if accessor, ok := object.(metav1.Object); ok {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

// isFinal reports whether the error says that it is of no use to ask again. All other errors pass: a credential that has expired is renewed with the
// next request.
func isFinal(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) || apierrors.IsBadRequest(err)
}

// MayPass reports whether the error is that of a request which may succeed later.
func MayPass(err error) bool { return IsRequest(err) && !isFinal(err) }

// IsRequest reports whether the error is that of a request.
func IsRequest(err error) bool {
	var answer apierrors.APIStatus
	var transport *url.Error
	return errors.As(err, &answer) || errors.As(err, &transport) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func handlerOf[T any](observer Observer[T]) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { observer.Set(object.(T)) },
		UpdateFunc: func(_, object any) { observer.Set(object.(T)) },
		DeleteFunc: func(object any) {
			if unseen, isUnseen := object.(cache.DeletedFinalStateUnknown); isUnseen {
				object = unseen.Obj
			}
			observer.Removed(object.(T))
		},
	}
}
