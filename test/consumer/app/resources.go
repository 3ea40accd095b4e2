package app

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/hpa"
	"projection.sh/operator/primitives/job"
	"projection.sh/operator/primitives/pdb"
	"projection.sh/operator/primitives/secret"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/serviceaccount"
	"projection.sh/operator/primitives/unstructured/static"
)

// credentials is the user's Secret, of which only the hash is of interest.
func credentials(w *v1.WebApp, hash *concepts.Data[string]) (*secret.Resource, error) {
	b := secret.NewBuilder(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: credentialsName(w)}})
	secret.ExtractInto(b, hash, secret.DataHash)
	return b.Build()
}

func config(w *v1.WebApp, credentialsHash *concepts.Data[string]) (*configmap.Resource, error) {
	b := configmap.NewBuilder(configBaseline(w)).WithMutation(credentialsEntry(credentialsHash))
	if w.Spec.CredentialsRef != nil {
		b.WithOptionalData(credentialsHash)
	}
	return b.Build()
}

// liveConfig is the ConfigMap as the pods find it.
func liveConfig(w *v1.WebApp, hash *concepts.Data[string]) (*configmap.Resource, error) {
	b := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: configName(w)}})
	configmap.ExtractInto(b, hash, configmap.DataHash)
	return b.Build()
}

// migrate is a Job that runs once. By default, suspending an app would delete the finished Job, and resuming run it again.
func migrate(w *v1.WebApp) (*job.Resource, error) {
	return job.NewBuilder(migrationBaseline(w)).
		WithMutation(job.LiftMutation(image(w)), job.LiftMutation(AuthEnv(w))).
		WithCustomSuspendDeletionDecision(func(*batchv1.Job) bool { return false }).
		Build()
}

func account(w *v1.WebApp) (*serviceaccount.Resource, error) {
	return serviceaccount.NewBuilder(&corev1.ServiceAccount{ObjectMeta: metaOf(w, w.Name)}).Build()
}

// pods waits for the migration of each version. A prerequisite of the component would not do: it is asked until it is met for the
// first time.
func pods(w *v1.WebApp, checksum *concepts.Data[string]) (*deployment.Resource, error) {
	return deployment.NewBuilder(deploymentBaseline(w)).
		WithMutation(DeploymentMutations(w, checksum)...).
		WithDataGuard(checksum).
		WithGuard(func(appsv1.Deployment) (concepts.GuardStatusWithReason, error) {
			migrated := meta.FindStatusCondition(w.Status.Conditions, string(v1.MigrationComplete))
			if migrated == nil || migrated.Status != metav1.ConditionTrue {
				return concepts.GuardStatusWithReason{
					Status: concepts.GuardStatusBlocked, Reason: "waiting for the migration to " + w.Spec.Version,
				}, nil
			}
			return concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, nil
		}).Build()
}

func address(w *v1.WebApp) (*service.Resource, error) {
	return service.NewBuilder(serviceBaseline(w)).WithMutation(legacyServicePort(w)).Build()
}

func budget(w *v1.WebApp) (*pdb.Resource, error) { return pdb.NewBuilder(budgetBaseline(w)).Build() }

func autoscaler(w *v1.WebApp) (*hpa.Resource, error) {
	return hpa.NewBuilder(autoscalerBaseline(w)).Build()
}

func monitor(w *v1.WebApp) (*static.Resource, error) {
	return static.NewBuilder(monitorBaseline(w)).WithMutation(legacyMonitorPort(w)).Build()
}
