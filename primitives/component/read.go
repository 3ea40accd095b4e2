package component

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// read fetches a read-only resource and hands the object to it.
func (p *pass) read(ctx context.Context, r registration) (visit, error) {
	object, err := r.resource.Object()
	if err != nil {
		return unchanged, fmt.Errorf("failed to retrieve read-only object from resource %s: %w", r.identity, err)
	}
	observed := emptyLike(object)
	err = p.rec.Client.Get(ctx, client.ObjectKeyFromObject(object), observed)
	switch {
	case apierrors.IsNotFound(err) && r.ignoreIfAbsent:
		return visit{absent: true}, nil
	case apierrors.IsNotFound(err) && r.blockOnAbsence:
		return waiting("waiting for " + r.identity), nil
	case err != nil:
		return unchanged, fmt.Errorf("failed to retrieve read-only resource %s from the k8s api: %w", r.identity, err)
	}
	if recorder, ok := r.resource.(concepts.ObservationRecorder); ok {
		if err := recorder.RecordObservation(observed); err != nil {
			return unchanged, fmt.Errorf("failed to record observation for resource %s: %w", r.identity, err)
		}
	}
	return unchanged, nil
}

// foreign reports whether another owner controls the object.
func (p *pass) foreign(ctx context.Context, r registration) (reason string, foreign bool, err error) {
	object, err := r.resource.Object()
	if err != nil {
		return "", false, fmt.Errorf("failed to retrieve object for resource %s: %w", r.identity, err)
	}
	live := emptyLike(object)
	err = p.rec.APIReader.Get(ctx, client.ObjectKeyFromObject(object), live)
	if apierrors.IsNotFound(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("failed to check existence of resource %s: %w", r.identity, err)
	}
	reason, foreign = foreignController(live, p.rec.Owner)
	return reason, foreign, nil
}

func foreignController(live client.Object, owner OperatorCRD) (reason string, foreign bool) {
	controller := metav1.GetControllerOf(live)
	if controller == nil || controller.UID == owner.GetUID() {
		return "", false
	}
	return fmt.Sprintf("controlled by %s %s", controller.Kind, controller.Name), true
}

// emptyLike returns a new object of the same kind to read into, so that nothing desired is taken for observed.
func emptyLike(object client.Object) client.Object {
	var empty client.Object
	if content, ok := object.(runtime.Unstructured); ok {
		empty = content.NewEmptyInstance().(client.Object)
	} else {
		empty = reflect.New(reflect.TypeOf(object).Elem()).Interface().(client.Object)
	}
	empty.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	return empty
}
