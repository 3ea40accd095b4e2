package watch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
)

// Source is what a Stream lists and watches.
type Source struct {
	List  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	Watch func(context.Context, metav1.ListOptions) (watch.Interface, error)

	listed   bool // list the present objects, instead of asking for them as events of the watch
	resource schema.GroupResource
	witness  Witness
	whole    bool // the objects are whole, as a dynamic client returns them
}

// Whole returns the source as one of whole objects, which its List and Watch return as a dynamic client does.
func (s Source) Whole() Source {
	s.whole = true
	return s
}

// Witnessed returns the source as one of a cluster that can be cut off. Its stream waits until the cluster can be reached, and goes on where it was
// if the witness shows that the history is the one that was seen.
func (s Source) Witnessed(by Witness) Source {
	s.witness = by
	return s
}

// Of returns the source as one of that kind. Of Secrets, nothing is quoted where a list or a watch fails.
func (s Source) Of(kind schema.GroupVersionResource) Source {
	s.resource = kind.GroupResource()
	return s
}

// ByLabel lists and watches the metadata of the objects that bear the label.
func ByLabel(client metadata.Getter, label string) Source {
	return Source{
		List: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			if options.ResourceVersion == "0" {
				options.ResourceVersion = "" // a cache of the API server may be older than our last write
			}
			options.LabelSelector = label
			return client.List(ctx, options)
		},
		Watch: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = label
			return client.Watch(ctx, options)
		},
	}
}

// FromNow lists nothing and watches the metadata of everything from now on. Its stream keeps a watch open without holding
// what it watches: each time it has to start over, it learns the present resourceVersion, for the price of one object.
func FromNow(client metadata.Getter) Source {
	return Source{
		listed: true,
		List: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			list, err := client.List(ctx, metav1.ListOptions{Limit: 1})
			if err != nil {
				return nil, err
			}
			return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: list.ResourceVersion}}, nil
		},
		Watch: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.Watch(ctx, options)
		},
	}
}
