package oracle

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// Rule is a Projection or a ClusterProjection.
type Rule interface {
	client.Object
	told

	// GetKind returns which of the two it is.
	GetKind() string
}

// told is what a rule reports.
type told interface {
	GetStatusConditions() *[]metav1.Condition
	GetCommonStatus() *v1.CommonStatus
}

// Place is where one object can be.
type Place struct {
	Kind            schema.GroupKind
	Namespace, Name string
}

func (p Place) String() string { return fmt.Sprintf("%s %s/%s", p.Kind, p.Namespace, p.Name) }

// PlaceOf returns where the object is.
func PlaceOf(object *unstructured.Unstructured) Place {
	return Place{object.GroupVersionKind().GroupKind(), object.GetNamespace(), object.GetName()}
}

// State is what the API server holds.
type State struct {
	Namespaces map[string]*corev1.Namespace
	Rules      []Rule
	Objects    map[Place]*unstructured.Unstructured
	Adopted    Adopted
	// Permissive tells whether sources are copied whose owners say nothing.
	Permissive bool
}

// Foreign are the objects that are no copies, sources among them, as whoever wrote them left them.
type Foreign map[Place]*unstructured.Unstructured

// Note remembers the object as the API server returned it to its writer.
func (f Foreign) Note(object *unstructured.Unstructured) { f[PlaceOf(object)] = object }

func (s *State) readRules(ctx context.Context, reader client.Reader, labels client.MatchingLabels) error {
	var projections v1.ProjectionList
	if err := reader.List(ctx, &projections, labels); err != nil {
		return err
	}
	for i := range projections.Items {
		s.Rules = append(s.Rules, &projections.Items[i])
	}
	var clusterProjections v1.ClusterProjectionList
	if err := reader.List(ctx, &clusterProjections, labels); err != nil {
		return err
	}
	for i := range clusterProjections.Items {
		s.Rules = append(s.Rules, &clusterProjections.Items[i])
	}
	return nil
}
