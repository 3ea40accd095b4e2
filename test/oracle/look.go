package oracle

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// World is a part of a cluster that an operator of its own works on.
type World struct {
	Reader client.Reader
	// Labels are those of its namespaces, rules and sources. Copies have the labels of their sources.
	Labels client.MatchingLabels
	// Prefix begins the names of its namespaces and ClusterProjections, and no others.
	Prefix  string
	Kinds   []schema.GroupVersionKind
	Adopted Adopted
	// Permissive tells whether the operator copies sources whose owners say nothing. Then no copy may be where a rule looks for sources.
	Permissive bool
}

// Problems reads the world, and returns it with its problems. It reads the objects that bear the labels; if it finds no problem among
// these, it looks at all others, too.
func (w World) Problems(ctx context.Context, foreign Foreign) (State, []string, error) {
	state, err := w.Read(ctx)
	if err != nil {
		return state, nil, err
	}
	if problems := Problems(state, foreign); len(problems) > 0 {
		return state, problems, nil
	}
	if err := w.readOthers(ctx, &state); err != nil {
		return state, nil, err
	}
	return state, Problems(state, foreign), nil
}

// Read reads what bears the labels: namespaces, rules, and objects of the kinds.
func (w World) Read(ctx context.Context) (State, error) {
	state, err := w.ReadRules(ctx)
	if err != nil {
		return state, err
	}
	for _, kind := range w.Kinds {
		var list unstructured.UnstructuredList
		list.SetGroupVersionKind(kind)
		if err := w.Reader.List(ctx, &list, w.Labels); err != nil {
			return state, err
		}
		for i := range list.Items {
			state.Objects[PlaceOf(&list.Items[i])] = &list.Items[i]
		}
	}
	return state, nil
}

// ReadRules reads the namespaces and rules alone.
func (w World) ReadRules(ctx context.Context) (State, error) {
	state := State{Namespaces: map[string]*corev1.Namespace{}, Objects: map[Place]*unstructured.Unstructured{}, Adopted: w.Adopted, Permissive: w.Permissive}
	var namespaces corev1.NamespaceList
	if err := w.Reader.List(ctx, &namespaces, w.Labels); err != nil {
		return state, err
	}
	for i := range namespaces.Items {
		state.Namespaces[namespaces.Items[i].Name] = &namespaces.Items[i]
	}
	err := state.readRules(ctx, w.Reader, w.Labels)
	return state, err
}

// readOthers adds what a copy is that lacks the labels of its source: every object in the namespaces, and every object in the cluster
// that is marked as a copy of a rule of the world.
func (w World) readOthers(ctx context.Context, state *State) error {
	for name := range state.Namespaces {
		if err := w.add(ctx, state, ofUsers, client.InNamespace(name)); err != nil {
			return err
		}
	}
	for _, marks := range marksOf {
		if err := w.add(ctx, state, w.Marks, client.HasLabels{marks.label}); err != nil {
			return err
		}
	}
	return nil
}

// add adds the objects that the options list, that are wanted, and that the state lacks. It lists only their metadata: most of what bears a
// mark belongs to other worlds.
func (w World) add(ctx context.Context, state *State, wanted func(client.Object) bool, options ...client.ListOption) error {
	for _, kind := range w.Kinds {
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(kind)
		if err := w.Reader.List(ctx, &list, options...); err != nil {
			return err
		}
		for i := range list.Items {
			found := &list.Items[i]
			at := Place{kind.GroupKind(), found.Namespace, found.Name}
			if _, known := state.Objects[at]; known || !wanted(found) {
				continue
			}
			object := &unstructured.Unstructured{}
			object.SetGroupVersionKind(kind)
			err := w.Reader.Get(ctx, client.ObjectKeyFromObject(found), object)
			if client.IgnoreNotFound(err) != nil {
				return err
			}
			if err == nil {
				state.Objects[at] = object
			}
		}
	}
	return nil
}

// Marks reports whether the object names a rule of the world as its owner.
func (w World) Marks(object client.Object) bool {
	for _, marks := range marksOf {
		if strings.HasPrefix(object.GetAnnotations()[marks.annotation], w.Prefix) {
			return true
		}
	}
	return false
}

// ofUsers reports whether the object is neither one that a controller of Kubernetes puts into each namespace, nor the one in which the
// operator describes its installation.
func ofUsers(object client.Object) bool {
	return object.GetName() != rootCAs && object.GetName() != v1.ConfigMapInfo
}

// rootCAs is the name of the ConfigMap that kube-controller-manager puts into each namespace.
const rootCAs = "kube-root-ca.crt"
