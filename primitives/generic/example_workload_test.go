package generic_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
)

// Mutator records edits of a ReplicationController.
type Mutator struct {
	object *corev1.ReplicationController
	// features has the edits of each mutation.
	features []edits
}

// edits are carried out in the order of the fields.
type edits struct {
	metadata []func(*editors.ObjectMetaEditor) error
	spec     []func(*corev1.ReplicationControllerSpec) error
}

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *corev1.ReplicationController) *Mutator {
	return &Mutator{object: object, features: make([]edits, 1)}
}

// NextFeature is called after each mutation.
func (m *Mutator) NextFeature() { m.features = append(m.features, edits{}) }

// EditObjectMetadata records an edit of labels and annotations.
func (m *Mutator) EditObjectMetadata(edit func(*editors.ObjectMetaEditor) error) {
	last := &m.features[len(m.features)-1]
	last.metadata = append(last.metadata, edit)
}

// EditSpec records an edit of the spec.
func (m *Mutator) EditSpec(edit func(*corev1.ReplicationControllerSpec) error) {
	last := &m.features[len(m.features)-1]
	last.spec = append(last.spec, edit)
}

// Apply carries out what was recorded.
func (m *Mutator) Apply() error {
	for _, of := range m.features {
		for _, edit := range of.metadata {
			if err := edit(editors.NewObjectMetaEditor(&m.object.ObjectMeta)); err != nil {
				return err
			}
		}
		for _, edit := range of.spec {
			if err := edit(&m.object.Spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// Mutation is a named edit of a ReplicationController.
type Mutation = feature.Mutation[*Mutator]

func converging(op concepts.ConvergingOperation, rc *corev1.ReplicationController) (concepts.AliveStatusWithReason, error) {
	if stale := concepts.StaleGenerationStatus(op, rc.Status.ObservedGeneration, rc.Generation, "replication"); stale != nil {
		return *stale, nil
	}
	if rc.Status.ReadyReplicas != *rc.Spec.Replicas {
		return concepts.AliveStatusWithReason{
			Status: concepts.AliveConvergingStatusScaling,
			Reason: fmt.Sprintf("Waiting for replicas: %d/%d ready", rc.Status.ReadyReplicas, *rc.Spec.Replicas),
		}, nil
	}
	return concepts.AliveStatusWithReason{Status: concepts.AliveConvergingStatusHealthy, Reason: "All replicas are ready"}, nil
}

func grace(rc *corev1.ReplicationController) (concepts.GraceStatusWithReason, error) {
	switch rc.Status.ReadyReplicas {
	case *rc.Spec.Replicas:
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusHealthy, Reason: "All replicas are ready"}, nil
	case 0:
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusDown, Reason: "No replicas are ready"}, nil
	default:
		return concepts.GraceStatusWithReason{Status: concepts.GraceStatusDegraded, Reason: "Some replicas are ready"}, nil
	}
}

func scaleToZero(m *Mutator) error {
	m.EditSpec(func(spec *corev1.ReplicationControllerSpec) error { spec.Replicas = new(int32(0)); return nil })
	return nil
}

func scaledToZero(rc *corev1.ReplicationController) (concepts.SuspensionStatusWithReason, error) {
	if rc.Status.ObservedGeneration < rc.Generation || rc.Status.Replicas > 0 {
		return concepts.SuspensionStatusWithReason{Status: concepts.SuspensionStatusSuspending, Reason: "Waiting for pods to stop"}, nil
	}
	return concepts.SuspensionStatusWithReason{Status: concepts.SuspensionStatusSuspended, Reason: "Scaled to zero"}, nil
}

// NewBuilder starts a resource around the object.
func NewBuilder(object *corev1.ReplicationController) *generic.WorkloadBuilder[*corev1.ReplicationController, *Mutator] {
	identity := func(rc *corev1.ReplicationController) string {
		return "v1/ReplicationController/" + rc.Namespace + "/" + rc.Name
	}
	return generic.NewWorkloadBuilder(object, identity, NewMutator).
		WithCustomConvergeStatus(converging).
		WithCustomGraceStatus(grace).
		WithCustomSuspendMutation(scaleToZero).
		WithCustomSuspendStatus(scaledToZero)
}

// A workload of a kind for which the kit has no package, in a component.
func ExampleNewWorkloadBuilder() {
	pods, err := NewBuilder(&corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
	}).WithMutation(Mutation{Name: "replicas", Mutate: func(m *Mutator) error {
		m.EditSpec(func(spec *corev1.ReplicationControllerSpec) error { spec.Replicas = new(int32(2)); return nil })
		m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error { e.EnsureLabel("app", "web"); return nil })
		return nil
	}}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	web, err := component.NewComponentBuilder().WithName("web").WithConditionType("WebReady").WithResource(pods).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := web.Preview()
	if err != nil {
		fmt.Println(err)
		return
	}
	applied := preview[0].(*corev1.ReplicationController)
	fmt.Println(pods.Identity(), applied.Labels, *applied.Spec.Replicas)

	// The component asks these with the object that the API server returned.
	applied.Status.ReadyReplicas = 1
	fmt.Println(converging(concepts.ConvergingOperationNone, applied))
	fmt.Println(grace(applied))
	// Output:
	// v1/ReplicationController/shop/web map[app:web] 2
	// {Scaling Waiting for replicas: 1/2 ready} <nil>
	// {Degraded Some replicas are ready} <nil>
}
