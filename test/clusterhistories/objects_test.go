package clusterhistories_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// What histories choose from. Small numbers make things meet.
var (
	allSources = []place{{hubName, "home", "a"}, {hubName, "home", "b"}, {eastName, "home", "a"}, {westName, "home", "a"}}
	colors     = []string{"red", "green", "blue", "white", "black"}
)

// object returns the ConfigMap at the place.
func (h *history) object(at place) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace(at.role), Name: at.name}}
}

// note records an object that the operator must not change.
func (h *history) note(at place, object client.Object) {
	h.theirs[at] = mark{object.GetUID(), object.GetResourceVersion()}
}

// putSource creates a source, or changes it.
func (h *history) putSource() {
	at := pick(h, allSources...)
	value := source{color: pick(h, colors...), projectable: "true", exportable: "true"}
	if h.chance(25) {
		value.projectable = pick(h, "", "false")
	}
	if h.chance(40) {
		value.exportable = pick(h, "", "false", hubName, eastName, westName)
	}
	h.setSource(at, value)
}

func (h *history) setSource(at place, value source) {
	_, exists := h.world.sources[at]
	h.change(func(w *world) { w.sources[at] = value }, "source %v is %+v", at, value)
	object := h.object(at)
	object.Data = map[string]string{"color": value.color}
	object.Annotations = h.consent(value)
	if exists {
		h.need(h.clusters[at.cluster].client.Update(h.t.Context(), object))
	} else {
		h.need(h.clusters[at.cluster].client.Create(h.t.Context(), object))
	}
	h.note(at, object)
}

// consent returns the annotations of a source.
func (h *history) consent(value source) map[string]string {
	annotations := map[string]string{}
	if value.projectable != "" {
		annotations[v1.AnnotationProjectable] = value.projectable
	}
	if value.exportable != "" {
		annotations[v1.AnnotationExportable] = value.exportable
		if named := h.clusters[value.exportable]; named != nil {
			annotations[v1.AnnotationExportable] = named.identity
		}
	}
	return annotations
}

func (h *history) deleteSource() {
	at := pick(h, allSources...)
	if _, exists := h.world.sources[at]; !exists {
		return
	}
	h.change(func(w *world) { delete(w.sources, at) }, "delete the source %v", at)
	delete(h.theirs, at)
	h.need(h.clusters[at.cluster].client.Delete(h.t.Context(), h.object(at)))
}

// anyPlace returns a place of copies.
func (h *history) anyPlace() place {
	return place{pick(h, hubName, eastName, westName), pick(h, "n1", "n2"), pick(h, "x", "x", "y", "q1", "q2", "q3", "r1")}
}

// putForeign has somebody create an object where a copy may be.
func (h *history) putForeign() {
	at := h.anyPlace()
	object := h.object(at)
	object.Data = map[string]string{"color": "foreign"}
	if h.chance(50) { // in the place of a copy, if the operator is not faster
		h.deleteCopyAt(at)
	}
	switch err := h.clusters[at.cluster].client.Create(h.t.Context(), object); {
	case err == nil:
		h.change(func(w *world) { w.foreign[at] = true }, "create the foreign object %v", at)
		h.note(at, object)
	case !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err):
		h.need(err)
	}
}

func (h *history) deleteForeign() {
	at := h.anyPlace()
	if !h.world.foreign[at] {
		return
	}
	h.change(func(w *world) { delete(w.foreign, at) }, "delete the foreign object %v", at)
	delete(h.theirs, at)
	h.need(h.clusters[at.cluster].client.Delete(h.t.Context(), h.object(at)))
}

// deleteCopy has somebody delete a copy.
func (h *history) deleteCopy() { h.deleteCopyAt(h.anyPlace()) }

func (h *history) deleteCopyAt(at place) {
	if h.world.foreign[at] {
		return
	}
	if err := h.clusters[at.cluster].client.Delete(h.t.Context(), h.object(at)); !apierrors.IsNotFound(err) {
		h.need(err)
		h.did("delete the copy %v", at)
	}
}

// editCopy has somebody change a copy.
func (h *history) editCopy() {
	at := h.anyPlace()
	if h.world.foreign[at] {
		return
	}
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"data": {"color": "edited%d"}}`, h.rng.IntN(10)))
	if err := h.clusters[at.cluster].client.Patch(h.t.Context(), h.object(at), patch); !apierrors.IsNotFound(err) {
		h.need(err)
		h.did("edit the copy %v", at)
	}
}

// begin creates what there is in the beginning: everything that rules need.
func (h *history) begin() {
	h.versions = []version{{time.Now(), h.world.clone()}}
	for _, in := range []string{hubName, eastName, westName} {
		for _, role := range []string{"n1", "n2"} {
			h.setNamespace(space{in, role}, h.chance(70))
		}
	}
	for _, at := range allSources {
		h.setSource(at, source{pick(h, colors...), "true", "true"})
	}
	for range 6 {
		h.putPush()
		h.putPull()
	}
}

// putNamespace creates a namespace for copies, or changes its label.
func (h *history) putNamespace() {
	h.setNamespace(space{pick(h, hubName, eastName, westName), pick(h, "n1", "n2")}, h.chance(60))
}

func (h *history) setNamespace(where space, labelled bool) {
	_, exists := h.world.spaces[where]
	h.change(func(w *world) { w.spaces[where] = labelled }, "namespace %v is labelled: %t", where, labelled)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: h.namespace(where.role)}}
	if labelled {
		namespace.Labels = h.label()
	}
	if !exists {
		h.need(h.clusters[where.cluster].client.Create(h.t.Context(), namespace))
		return
	}
	value := "null"
	if labelled {
		value = `"` + h.id + `"`
	}
	h.patch(where.cluster, namespace, `{"metadata": {"labels": {"world": `+value+`}}}`)
}

// label is what rules of this history select.
func (h *history) label() map[string]string { return map[string]string{"world": h.id} }

// deleteNamespace deletes a namespace of another cluster, and does what its controllers do: it deletes what is in it.
func (h *history) deleteNamespace() {
	where := space{pick(h, eastName, westName), pick(h, "n1", "n2")}
	if _, exists := h.world.spaces[where]; !exists {
		return
	}
	h.change(func(w *world) {
		delete(w.spaces, where)
		for at := range w.foreign {
			if at.cluster == where.cluster && at.role == where.role {
				delete(w.foreign, at)
				delete(h.theirs, at)
			}
		}
	}, "delete the namespace %v", where)
	in := h.clusters[where.cluster].client
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: h.namespace(where.role)}}
	h.need(in.Delete(h.t.Context(), namespace))
	h.need(in.DeleteAllOf(h.t.Context(), &corev1.ConfigMap{}, client.InNamespace(namespace.Name)))
	h.need(in.Get(h.t.Context(), client.ObjectKeyFromObject(namespace), namespace))
	namespace.Spec.Finalizers = nil
	h.need(in.SubResource("finalize").Update(h.t.Context(), namespace))
}
