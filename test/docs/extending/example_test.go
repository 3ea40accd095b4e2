// Package extending_test holds the code that docs/extending.md shows.
package extending_test

import (
	"context"
	"errors"
	"fmt"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
	"projection.sh/operator/primitives/unstructured/static"
)

// credentials is the copy of a Secret for a team.
func credentials(source *uns.Unstructured, team, appVersion string) (*static.Resource, error) {
	baseline := source.DeepCopy()
	baseline.SetNamespace(team)
	return static.NewBuilder(baseline).
		WithMutation(mutations.ForDestination(mutations.Input{
			Kind:  source.GroupVersionKind().GroupKind(),
			Stamp: mutations.Stamp{AnnotationKey: "example.com/owner", AnnotationValue: team},
		})...).
		WithMutation(restartHint(appVersion)).
		Build()
}

// restartHint has apps from 2.0 on read the Secret again.
func restartHint(appVersion string) unstructured.Mutation {
	return unstructured.Mutation{
		Name:    "restart-hint",
		Feature: feature.NewVersionGate(appVersion, []feature.VersionConstraint{feature.MustConstraint(">= 2.0.0")}),
		Mutate: func(m *unstructured.Mutator) error {
			m.EditObjectMetadata(func(e *editors.ObjectMetaEditor) error {
				e.EnsureAnnotation("example.com/reload", "true")
				return nil
			})
			return nil
		},
	}
}

// reconcile brings the copy in sync, and writes the condition CredentialsReady into the owner.
func reconcile(ctx context.Context, rec component.ReconcileContext, copied *static.Resource) error {
	built, err := component.NewComponentBuilder().
		WithName("credentials").
		WithConditionType("CredentialsReady").
		WithResource(copied).
		Build()
	if err != nil {
		return err
	}
	err = built.Reconcile(ctx, rec)
	return errors.Join(err, component.FlushStatus(ctx, rec, []*component.Component{built}))
}

var _ = reconcile // an operator calls it from its Reconcile

func Example() {
	source := &uns.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Secret",
		"metadata": map[string]any{
			"name": "database", "namespace": "platform", "uid": "4f1d",
			"labels": map[string]any{"app.kubernetes.io/managed-by": "Helm"},
		},
		"stringData": map[string]any{"user": "shop"},
	}}
	for _, version := range []string{"1.9.0", "2.1.0"} {
		copied, err := credentials(source, "team-a", version)
		if err != nil {
			fmt.Println(err)
			return
		}
		wanted, err := copied.PreviewObject()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(wanted.GetNamespace(), wanted.GetUID() == "", len(wanted.GetLabels()),
			wanted.GetAnnotations()["example.com/owner"], wanted.GetAnnotations()["example.com/reload"] == "true")
	}
	// Output:
	// team-a true 0 team-a false
	// team-a true 0 team-a true
}
