package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"

	"projection.sh/operator/primitives/editors"
)

func TestDeploymentSpec(t *testing.T) {
	spec := appsv1.DeploymentSpec{}
	editor := editors.NewDeploymentSpecEditor(&spec)
	editor.SetReplicas(1)
	editor.SetPaused(true)
	editor.SetMinReadySeconds(2)
	editor.SetRevisionHistoryLimit(3)
	editor.SetProgressDeadlineSeconds(4)
	assert.Equal(t, appsv1.DeploymentSpec{
		Replicas: new(int32(1)), Paused: true, MinReadySeconds: 2, RevisionHistoryLimit: new(int32(3)), ProgressDeadlineSeconds: new(int32(4)),
	}, spec)
	assert.Same(t, &spec, editor.Raw())
}

func TestStatefulSetSpec(t *testing.T) {
	spec := appsv1.StatefulSetSpec{}
	strategy := appsv1.StatefulSetUpdateStrategy{RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(4))}}
	retention := &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType}
	editor := editors.NewStatefulSetSpecEditor(&spec)
	editor.SetReplicas(1)
	editor.SetServiceName("s")
	editor.SetPodManagementPolicy(appsv1.ParallelPodManagement)
	editor.SetUpdateStrategy(strategy)
	editor.SetRevisionHistoryLimit(2)
	editor.SetMinReadySeconds(3)
	editor.SetPersistentVolumeClaimRetentionPolicy(retention)
	assert.Equal(t, appsv1.StatefulSetSpec{
		Replicas: new(int32(1)), ServiceName: "s", PodManagementPolicy: appsv1.ParallelPodManagement, UpdateStrategy: strategy,
		RevisionHistoryLimit: new(int32(2)), MinReadySeconds: 3, PersistentVolumeClaimRetentionPolicy: retention,
	}, spec)
	editor.SetPersistentVolumeClaimRetentionPolicy(nil)
	assert.Nil(t, spec.PersistentVolumeClaimRetentionPolicy)
}

func TestDaemonSetSpec(t *testing.T) {
	spec := appsv1.DaemonSetSpec{}
	strategy := appsv1.DaemonSetUpdateStrategy{RollingUpdate: &appsv1.RollingUpdateDaemonSet{}}
	editor := editors.NewDaemonSetSpecEditor(&spec)
	editor.SetUpdateStrategy(strategy)
	editor.SetMinReadySeconds(1)
	editor.SetRevisionHistoryLimit(2)
	assert.Equal(t, appsv1.DaemonSetSpec{UpdateStrategy: strategy, MinReadySeconds: 1, RevisionHistoryLimit: new(int32(2))}, spec)
}

func TestReplicaSetSpec(t *testing.T) {
	spec := appsv1.ReplicaSetSpec{}
	editor := editors.NewReplicaSetSpecEditor(&spec)
	editor.SetReplicas(1)
	editor.SetMinReadySeconds(2)
	assert.Equal(t, appsv1.ReplicaSetSpec{Replicas: new(int32(1)), MinReadySeconds: 2}, spec)
}

func TestJobSpec(t *testing.T) {
	spec := batchv1.JobSpec{}
	editor := editors.NewJobSpecEditor(&spec)
	editor.SetCompletions(1)
	editor.SetParallelism(2)
	editor.SetBackoffLimit(3)
	editor.SetActiveDeadlineSeconds(4)
	editor.SetTTLSecondsAfterFinished(5)
	editor.SetCompletionMode(batchv1.IndexedCompletion)
	assert.Equal(t, batchv1.JobSpec{
		Completions: new(int32(1)), Parallelism: new(int32(2)), BackoffLimit: new(int32(3)), ActiveDeadlineSeconds: new(int64(4)),
		TTLSecondsAfterFinished: new(int32(5)), CompletionMode: new(batchv1.IndexedCompletion),
	}, spec)
}

func TestCronJobSpec(t *testing.T) {
	spec := batchv1.CronJobSpec{}
	editor := editors.NewCronJobSpecEditor(&spec)
	editor.SetSchedule("@daily")
	editor.SetTimeZone("Etc/UTC")
	editor.SetConcurrencyPolicy(batchv1.ForbidConcurrent)
	editor.SetStartingDeadlineSeconds(1)
	editor.SetSuccessfulJobsHistoryLimit(2)
	editor.SetFailedJobsHistoryLimit(3)
	assert.Equal(t, batchv1.CronJobSpec{
		Schedule: "@daily", TimeZone: new("Etc/UTC"), ConcurrencyPolicy: batchv1.ForbidConcurrent, StartingDeadlineSeconds: new(int64(1)),
		SuccessfulJobsHistoryLimit: new(int32(2)), FailedJobsHistoryLimit: new(int32(3)),
	}, spec)
}
