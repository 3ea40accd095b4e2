package sim

import (
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// staleVersion is what the API server says of a precondition on the resourceVersion that does not hold.
const staleVersion = "the object has been modified; please apply your changes to the latest version and try again"

func newStored(object runtime.Object) (*stored, error) {
	accessor, err := meta.Accessor(object)
	return &stored{object, accessor}, err
}

// write is a change of one object that is asked for.
type write struct {
	kind *kind
	at   key
	// creates and updates say what may happen.
	creates, updates bool
	dryRun           bool
	patches          bool // the uid is part of a patch
	// change returns the object that is to be there. The present one is empty if there is none, and must not be changed.
	change func(present runtime.Object, exists bool) (runtime.Object, error)
}

// write makes the change. It returns the object, and the status of the answer.
func (s *store) write(w write) (*stored, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	present, exists := s.objects[w.kind][w.at]
	switch {
	case exists && !w.updates:
		return nil, 0, apierrors.NewAlreadyExists(w.kind.GroupResource(), w.at.name)
	case !exists && !w.creates:
		return nil, 0, apierrors.NewNotFound(w.kind.GroupResource(), w.at.name)
	case !exists:
		return s.create(w)
	}
	next, err := s.next(w, present)
	if err != nil {
		return nil, 0, err
	}
	if isSame(present.object, next.object) {
		return present, http.StatusOK, nil
	}
	if next.meta.GetDeletionTimestamp() != nil && len(next.meta.GetFinalizers()) == 0 && w.kind != namespaces {
		return s.remove(w, next)
	}
	if w.dryRun {
		return next, http.StatusOK, nil
	}
	written, err := s.commit(w.kind, w.at, next.object)
	return written, http.StatusOK, err
}

// remove deletes an object whose last finalizer has gone.
func (s *store) remove(w write, last *stored) (*stored, int, error) {
	if !w.dryRun {
		if _, err := s.commit(w.kind, w.at, nil); err != nil {
			return nil, 0, err
		}
	}
	return last, http.StatusOK, nil
}

// create writes an object that is not there.
func (s *store) create(w write) (*stored, int, error) {
	empty, err := w.kind.newObject()
	if err != nil {
		return nil, 0, err
	}
	object, err := w.change(empty, false)
	if err != nil {
		return nil, 0, err
	}
	if err := s.mayCreateIn(w); err != nil {
		return nil, 0, err
	}
	next, err := newStored(object)
	if err != nil {
		return nil, 0, err
	}
	next.meta.SetUID(uuid.NewUUID())
	next.meta.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	if w.dryRun {
		return next, http.StatusCreated, nil
	}
	written, err := s.commit(w.kind, w.at, next.object)
	return written, http.StatusCreated, err
}

// mayCreateIn returns an error if the namespace does not exist, or is ending.
func (s *store) mayCreateIn(w write) error {
	if !w.kind.namespaced {
		return nil
	}
	in, exists := s.objects[namespaces][key{name: w.at.namespace}]
	switch {
	case !exists:
		return apierrors.NewNotFound(namespaces.GroupResource(), w.at.namespace)
	case in.meta.GetDeletionTimestamp() == nil:
		return nil
	}
	refused := apierrors.NewForbidden(w.kind.GroupResource(), w.at.name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", w.at.namespace))
	refused.ErrStatus.Details.Causes = append(refused.ErrStatus.Details.Causes, metav1.StatusCause{
		Type: corev1.NamespaceTerminatingCause, Field: "metadata.namespace", Message: "namespace " + w.at.namespace + " is being terminated",
	})
	return refused
}

// next returns what an object that is there is to become, with what nobody may change.
func (s *store) next(w write, present *stored) (*stored, error) {
	object, err := w.change(present.object.DeepCopyObject(), true)
	if err != nil {
		return nil, err
	}
	next, err := newStored(object)
	if err != nil {
		return nil, err
	}
	if err := w.agrees(next.meta, present.meta); err != nil {
		return nil, err
	}
	next.meta.SetUID(present.meta.GetUID())
	next.meta.SetCreationTimestamp(present.meta.GetCreationTimestamp())
	next.meta.SetDeletionTimestamp(present.meta.GetDeletionTimestamp())
	next.meta.SetDeletionGracePeriodSeconds(present.meta.GetDeletionGracePeriodSeconds())
	next.meta.SetResourceVersion(present.meta.GetResourceVersion())
	return next, nil
}

// agrees returns an error if what the object says of its version and uid does not hold.
func (w write) agrees(next, present metav1.Object) error {
	switch uid := next.GetUID(); {
	case uid == "" || uid == present.GetUID():
	case w.patches:
		return apierrors.NewInvalid(w.kind.gvk().GroupKind(), w.at.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "uid"), uid, "field is immutable"),
		})
	default:
		return w.conflict(unmet("UID", uid, present.GetUID()))
	}
	if version := next.GetResourceVersion(); version != "" && version != present.GetResourceVersion() {
		return w.conflict(errors.New(staleVersion))
	}
	return nil
}

func (w write) conflict(why error) error {
	return apierrors.NewConflict(w.kind.GroupResource(), w.at.name, why)
}

// isSame reports whether two versions differ in the times of managedFields at most.
func isSame(a, b runtime.Object) bool {
	return equality.Semantic.DeepEqual(withoutTimes(a), withoutTimes(b))
}

func withoutTimes(object runtime.Object) runtime.Object {
	object = object.DeepCopyObject()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return object
	}
	entries := accessor.GetManagedFields()
	for i := range entries {
		entries[i].Time = nil
	}
	return object
}

// unmet says, as Kubernetes does, which precondition does not hold.
func unmet(what string, wanted, found any) error {
	return fmt.Errorf("Precondition failed: %s in precondition: %v, %s in object meta: %v", what, wanted, what, found) //nolint:staticcheck // likewise
}

// deletion is one that is asked for.
type deletion struct {
	kind          *kind
	at            key
	preconditions *metav1.Preconditions
	dryRun        bool
}

// delete deletes an object, or marks it as being deleted if it has finalizers, which is what it returns then.
func (s *store) delete(d deletion) (present *stored, marked bool, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	present, exists := s.objects[d.kind][d.at]
	if !exists {
		return nil, false, apierrors.NewNotFound(d.kind.GroupResource(), d.at.name)
	}
	if err := d.agrees(present.meta); err != nil {
		return nil, false, err
	}
	isNamespace := d.kind == namespaces
	if len(present.meta.GetFinalizers()) == 0 && !isNamespace {
		if d.dryRun {
			return present, false, nil
		}
		_, err := s.commit(d.kind, d.at, nil)
		return present, false, err
	}
	if d.dryRun || present.meta.GetDeletionTimestamp() != nil {
		return present, true, nil
	}
	next, err := newStored(present.object.DeepCopyObject())
	if err != nil {
		return nil, false, err
	}
	now := metav1.Now().Rfc3339Copy()
	next.meta.SetDeletionTimestamp(&now)
	if !isNamespace {
		next.meta.SetDeletionGracePeriodSeconds(new(int64))
	}
	if namespace, ok := next.object.(*corev1.Namespace); ok {
		namespace.Status.Phase = corev1.NamespaceTerminating
	}
	present, err = s.commit(d.kind, d.at, next.object)
	return present, true, err
}

func (d deletion) agrees(present metav1.Object) error {
	if d.preconditions == nil {
		return nil
	}
	differs := func(what string, wanted, found any) error {
		return apierrors.NewConflict(schema.GroupResource{Group: d.kind.Group, Resource: d.kind.kind}, d.at.name,
			unmet(what, wanted, found))
	}
	if uid := d.preconditions.UID; uid != nil && *uid != present.GetUID() {
		return differs("UID", *uid, present.GetUID())
	}
	if version := d.preconditions.ResourceVersion; version != nil && *version != present.GetResourceVersion() {
		return differs("ResourceVersion", *version, types.UID(present.GetResourceVersion()))
	}
	return nil
}
