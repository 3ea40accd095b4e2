package clusterhistories_test

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// putPush creates a rule that copies into other clusters, or changes it. Two of them may want the same place.
func (h *history) putPush() {
	name, r := pick(h, "p1", "p2", "r1"), rule{from: pick(h, allSources[:2]...), as: pick(h, "x", "x", "y")}
	if name == "r1" { // from one of the other clusters
		r.from, r.as = pick(h, allSources[2:]...), name
	}
	r.into = pick(h, []string{eastName}, []string{westName}, []string{eastName, westName})
	r.labelled = h.chance(40)
	h.chooseNamespaces(&r)
	h.putRule(name, r)
}

// putPull creates a rule that copies from another cluster into the hub, or changes it.
func (h *history) putPull() {
	name := pick(h, "q1", "q2", "q3")
	r := rule{from: pick(h, allSources[2:]...), as: name, into: []string{hubName}}
	if name == "q3" {
		r.isTenant, r.roles = true, []string{"n1"}
		if _, exists := h.world.spaces[space{hubName, "n1"}]; !exists {
			return
		}
	} else {
		h.chooseNamespaces(&r)
	}
	h.putRule(name, r)
}

func (h *history) chooseNamespaces(r *rule) {
	r.roles, r.selects = pick(h, []string{"n1"}, []string{"n2"}, []string{"n1", "n2"}), h.chance(50)
}

// putRule writes a rule, unless one of that name is being deleted.
func (h *history) putRule(name string, r rule) {
	object, in := h.ruleObject(name, r), h.clusters[hubName].client
	err := in.Get(h.t.Context(), client.ObjectKeyFromObject(object), object)
	switch {
	case apierrors.IsNotFound(err):
		h.change(func(w *world) { w.rules[name] = r }, "create the rule %s: %+v", name, r)
		h.need(in.Create(h.t.Context(), h.ruleObject(name, r)))
	case err != nil:
		h.need(err)
	case object.GetDeletionTimestamp() == nil:
		h.change(func(w *world) { w.rules[name] = r }, "change the rule %s: %+v", name, r)
		before := object.DeepCopyObject().(client.Object) //nolint:forcetypeassert // it is what it was
		h.setSpec(object, r)
		h.need(in.Patch(h.t.Context(), object, client.MergeFrom(before)))
	}
}

func (h *history) deleteRule() {
	name := pick(h, "p1", "p2", "r1", "q1", "q2", "q3")
	r, exists := h.world.rules[name]
	if !exists {
		return
	}
	h.change(func(w *world) { delete(w.rules, name) }, "delete the rule %s", name)
	h.need(h.clusters[hubName].client.Delete(h.t.Context(), h.ruleObject(name, r)))
}

// ruleObject returns the rule as the API server has it.
func (h *history) ruleObject(name string, r rule) client.Object {
	var object client.Object = &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: h.namespace(name)}}
	if r.isTenant {
		object = &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace(r.roles[0]), Name: name}}
	}
	h.setSpec(object, r)
	return object
}

func (h *history) setSpec(object client.Object, r rule) {
	from := v1.SourceRef{Kind: "ConfigMap", Namespace: h.namespace(r.from.role), Name: r.from.name}
	if r.isPulled() {
		from.Cluster = r.from.cluster
	}
	switch object := object.(type) {
	case *v1.Projection:
		object.Spec.Source, object.Spec.Destination.Name = from, r.as
	case *v1.ClusterProjection:
		object.Spec.Source, object.Spec.Destination = from, v1.ClusterProjectionDestination{Name: r.as, Clusters: h.clusterTargets(r)}
		if r.selects {
			object.Spec.Destination.NamespaceSelector = &v1.NamespaceSelector{MatchLabels: h.label()}
			return
		}
		for _, role := range r.roles {
			object.Spec.Destination.Namespaces = append(object.Spec.Destination.Namespaces, h.namespace(role))
		}
	}
}

func (h *history) clusterTargets(r rule) *v1.ClusterTargets {
	switch {
	case !r.isPushed():
		return nil
	case r.labelled:
		return &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: h.label()}}
	default:
		return &v1.ClusterTargets{Names: r.into}
	}
}
