package primitives_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives"
	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/daemonset"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/replicaset"
	"projection.sh/operator/primitives/statefulset"
)

// authMode is written once, for all kinds with a pod template.
func authMode() feature.Mutation[primitives.WorkloadMutator] {
	return feature.Mutation[primitives.WorkloadMutator]{
		Name:    "auth-mode",
		Feature: feature.NewBooleanGate(true),
		Mutate: func(m primitives.WorkloadMutator) error {
			m.EnsureContainerEnvVar(corev1.EnvVar{Name: "AUTH_MODE", Value: "oidc"})
			m.EditPodTemplateMetadata(func(e *editors.ObjectMetaEditor) error { e.EnsureLabel("auth", "oidc"); return nil })
			return nil
		},
	}
}

func TestLiftedMutations(t *testing.T) {
	var (
		d     appsv1.Deployment
		s     appsv1.StatefulSet
		r     appsv1.ReplicaSet
		ds    appsv1.DaemonSet
		j     batchv1.Job
		c     batchv1.CronJob
		boom  = feature.Mutation[primitives.WorkloadMutator]{Name: "boom", Mutate: func(primitives.WorkloadMutator) error { return errBoom }}
		empty = feature.Mutation[primitives.WorkloadMutator]{Name: "empty"}
	)
	lifted(t, &d.Spec.Template, deployment.NewMutator(&d), deployment.LiftMutation, authMode(), boom, empty)
	lifted(t, &s.Spec.Template, statefulset.NewMutator(&s), statefulset.LiftMutation, authMode(), boom, empty)
	lifted(t, &r.Spec.Template, replicaset.NewMutator(&r), replicaset.LiftMutation, authMode(), boom, empty)
	lifted(t, &ds.Spec.Template, daemonset.NewMutator(&ds), daemonset.LiftMutation, authMode(), boom, empty)
	lifted(t, &j.Spec.Template, job.NewMutator(&j), job.LiftMutation, authMode(), boom, empty)
	lifted(t, &c.Spec.JobTemplate.Spec.Template, cronjob.NewMutator(&c), cronjob.LiftMutation, authMode(), boom, empty)
}

func lifted[M mutator](
	t *testing.T, template *corev1.PodTemplateSpec, m M,
	lift func(feature.Mutation[primitives.WorkloadMutator]) feature.Mutation[M],
	mutation, fails, empty feature.Mutation[primitives.WorkloadMutator],
) {
	t.Helper()
	template.Spec.Containers = []corev1.Container{{Name: "web"}}
	one := lift(mutation)
	assert.Equal(t, "auth-mode", one.Name)
	assert.Same(t, mutation.Feature, one.Feature)
	require.NoError(t, one.ApplyIntent(m))
	require.NoError(t, m.Apply())
	assert.Equal(t, []corev1.EnvVar{{Name: "AUTH_MODE", Value: "oidc"}}, template.Spec.Containers[0].Env)
	assert.Equal(t, map[string]string{"auth": "oidc"}, template.Labels)

	two := lift(fails)
	assert.Same(t, errBoom, two.ApplyIntent(m))
	three := lift(empty)
	assert.Nil(t, three.Mutate)
	require.EqualError(t, three.ApplyIntent(m), "mutation handler of empty is nil")
}

func ExampleWorkloadMutator() {
	frontend := &appsv1.Deployment{}
	frontend.Name, frontend.Namespace = "frontend", "shop"
	frontend.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web"}}
	resource, err := deployment.NewBuilder(frontend).WithMutation(deployment.LiftMutation(authMode())).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(preview.Spec.Template.Spec.Containers[0].Env[0].Name, err)
	// Output: AUTH_MODE <nil>
}
