package app

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured/static"
)

const (
	// sharedByAnnotation on a copy of the credentials is the app, <namespace>/<name>.
	sharedByAnnotation = "shop.example.com/shared-by"
	// sharedByLabel finds the copies of an app by its uid.
	sharedByLabel = "shop.example.com/shared-by-uid"
	// placeAnnotation on a copy is where the operator has put it. A copy of a copy is not the operator's.
	placeAnnotation = "shop.example.com/place"
	// acceptsLabel on a namespace, with the value true, lets apps of other namespaces put copies there.
	acceptsLabel = "shop.example.com/accepts-credentials"
	// sharingFinalizer keeps an app until its copies are deleted: an app cannot own objects of other namespaces.
	sharingFinalizer = "shop.example.com/shared-credentials"
)

// secretKind is what copies are read as.
var secretKind = corev1.SchemeGroupVersion.WithKind("Secret")

// sharedWith are the namespaces that are to get a copy of the credentials. The app's own has the credentials themselves.
func sharedWith(w *v1.WebApp) []string {
	if w.Spec.CredentialsRef == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.Spec.ShareCredentialsWith), func(namespace string) bool { return namespace == w.Namespace })
}

// sharing copies the credentials of an app to the wanted namespaces, and deletes the copies in all others.
func (r *Reconciler) sharing(ctx context.Context, w *v1.WebApp, wanted []string) (*component.Component, error) {
	var errs failures
	b := component.NewComponentBuilder().WithName("sharing").WithConditionType(v1.CredentialsShared)
	if len(wanted) > 0 {
		if err := r.addFinalizer(ctx, w); err != nil {
			return nil, err
		}
		source, err := r.source(ctx, w)
		if err != nil {
			return nil, err
		}
		b.WithResource(errs.check(credentials(w, concepts.NewData[string]("credentials-hash"))), component.ReadOnly(), component.BlockOnAbsence())
		places, err := r.places(ctx, w, wanted)
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			b.IncludeWhen(source != nil, func() component.Resource { return errs.check(copyOf(source, w, p)) },
				component.Unowned(), p.expected)
		}
	}
	copies, err := r.copies(ctx, w)
	if err != nil {
		return nil, err
	}
	for _, stale := range copies {
		if !slices.Contains(wanted, stale.Namespace) || stale.Name != credentialsName(w) {
			b.WithResource(errs.check(toDelete(stale)), component.Delete(), component.OnlyIfOwned())
		}
	}
	return errs.build(b)
}

// place is where a copy is to be.
type place struct {
	namespace string
	// expected is the copy that is there already, or that there is none.
	expected component.ResourceOption
	// refusal is why there cannot be one.
	refusal string
}

// places looks at the namespaces. Those that refuse come last, because nothing is applied behind a copy that is blocked.
func (r *Reconciler) places(ctx context.Context, w *v1.WebApp, namespaces []string) ([]place, error) {
	var free, refused []place
	for _, namespace := range namespaces {
		p, err := r.place(ctx, w, namespace)
		if err != nil {
			return nil, err
		}
		if p.refusal == "" {
			free = append(free, p)
		} else {
			refused = append(refused, p)
		}
	}
	return append(free, refused...), nil
}

// place looks at one namespace. It has to accept credentials: the author of an app may not be allowed to write there.
func (r *Reconciler) place(ctx context.Context, w *v1.WebApp, namespace string) (place, error) {
	p := place{namespace: namespace, expected: component.ExpectAbsent()}
	accepting, live := &metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadata{}
	accepting.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	err := r.Client.Get(ctx, client.ObjectKey{Name: namespace}, accepting)
	if err != nil && !apierrors.IsNotFound(err) {
		return p, err
	}
	if accepting.Labels[acceptsLabel] != "true" {
		p.refusal = "the namespace " + namespace + " does not have the label " + acceptsLabel + "=true"
		return p, nil
	}
	live.SetGroupVersionKind(secretKind)
	err = r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: credentialsName(w)}, live)
	if apierrors.IsNotFound(err) {
		return p, nil
	}
	if err == nil && !isCopy(live, w) {
		p.refusal = "the Secret " + keyOf(live) + " is not a copy of this app's"
	}
	p.expected = component.ExpectUID(live.UID)
	return p, err
}

// copyOf is the source in another namespace, without what belongs to the source alone.
func copyOf(source *uns.Unstructured, w *v1.WebApp, p place) (*static.Resource, error) {
	baseline := source.DeepCopy()
	baseline.SetNamespace(p.namespace)
	return static.NewBuilder(baseline).
		WithMutation(mutations.ForDestination(mutations.Input{
			Kind: secretKind.GroupKind(),
			Stamp: mutations.Stamp{
				AnnotationKey: sharedByAnnotation, AnnotationValue: keyOf(w),
				LabelKey: sharedByLabel, LabelValue: string(w.UID),
				PlaceKey: placeAnnotation,
			},
		})...).
		WithGuard(func(uns.Unstructured) (concepts.GuardStatusWithReason, error) {
			if p.refusal != "" {
				return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: p.refusal}, nil
			}
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
		}).Build()
}

// toDelete is a resource that is only good for being deleted.
func toDelete(stale metav1.PartialObjectMetadata) (*static.Resource, error) {
	object := &uns.Unstructured{}
	object.SetGroupVersionKind(secretKind)
	object.SetNamespace(stale.Namespace)
	object.SetName(stale.Name)
	return static.NewBuilder(object).Build()
}

// source is the Secret with all its fields, as the API server returns it; nil if there is none.
func (r *Reconciler) source(ctx context.Context, w *v1.WebApp) (*uns.Unstructured, error) {
	source := &uns.Unstructured{}
	source.SetGroupVersionKind(secretKind)
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: credentialsName(w)}, source)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return source, err
}

// copies are those of an app, wherever they are. For an app that has never shared anything, no request is made.
func (r *Reconciler) copies(ctx context.Context, w *v1.WebApp) ([]metav1.PartialObjectMetadata, error) {
	if !controllerutil.ContainsFinalizer(w, sharingFinalizer) {
		return nil, nil
	}
	found := &metav1.PartialObjectMetadataList{}
	found.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := r.Live.List(ctx, found, client.MatchingLabels{sharedByLabel: string(w.UID)})
	return slices.DeleteFunc(found.Items, func(item metav1.PartialObjectMetadata) bool { return !isCopy(&item, w) }), err
}

// addFinalizer adds the finalizer, before there is anything to clean up. It keeps the status that has not been written yet.
func (r *Reconciler) addFinalizer(ctx context.Context, w *v1.WebApp) error {
	after := w.DeepCopy()
	if !controllerutil.AddFinalizer(after, sharingFinalizer) {
		return nil
	}
	if err := r.Client.Patch(ctx, after, client.MergeFromWithOptions(w, client.MergeFromWithOptimisticLock{})); err != nil {
		return err
	}
	w.Finalizers, w.ResourceVersion = after.Finalizers, after.ResourceVersion
	return nil
}

// finalize deletes the copies of an app that is being deleted, and then removes the finalizer.
func (r *Reconciler) finalize(ctx context.Context, rec component.ReconcileContext, w *v1.WebApp) error {
	if !controllerutil.ContainsFinalizer(w, sharingFinalizer) {
		return nil
	}
	shared, err := r.sharing(ctx, w, nil)
	if err != nil {
		return err
	}
	if done, err := shared.Finalize(ctx, rec); err != nil || !done {
		return errors.Join(err, component.FlushStatus(ctx, rec, []*component.Component{shared}))
	}
	before := w.DeepCopy()
	controllerutil.RemoveFinalizer(w, sharingFinalizer)
	return client.IgnoreNotFound(r.Client.Patch(ctx, w, client.MergeFrom(before)))
}

func keyOf(object client.Object) string { return object.GetNamespace() + "/" + object.GetName() }

func isCopy(secret client.Object, w *v1.WebApp) bool {
	annotations := secret.GetAnnotations()
	return annotations[sharedByAnnotation] == keyOf(w) && annotations[placeAnnotation] == keyOf(secret)
}
