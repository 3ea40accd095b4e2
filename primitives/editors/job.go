package editors

import (
	batchv1 "k8s.io/api/batch/v1"
)

// JobSpecEditor edits the spec of a Job. There is no setter for suspend, which belongs to the suspension.
type JobSpecEditor struct {
	wrapper[batchv1.JobSpec]
}

var _ RawEditor[batchv1.JobSpec] = (*JobSpecEditor)(nil)

// NewJobSpecEditor returns an editor of spec.
func NewJobSpecEditor(spec *batchv1.JobSpec) *JobSpecEditor {
	return &JobSpecEditor{wrapper[batchv1.JobSpec]{spec}}
}

// SetCompletions sets how many pods have to succeed.
func (e *JobSpecEditor) SetCompletions(completions int32) { e.raw.Completions = new(completions) }

// SetParallelism sets how many pods run at a time.
func (e *JobSpecEditor) SetParallelism(parallelism int32) { e.raw.Parallelism = new(parallelism) }

// SetCompletionMode says whether pods are told apart by an index.
func (e *JobSpecEditor) SetCompletionMode(mode batchv1.CompletionMode) { e.raw.CompletionMode = &mode }

// SetBackoffLimit sets how often failed pods are replaced.
func (e *JobSpecEditor) SetBackoffLimit(limit int32) { e.raw.BackoffLimit = new(limit) }

// SetActiveDeadlineSeconds sets how long the job may run.
func (e *JobSpecEditor) SetActiveDeadlineSeconds(seconds int64) {
	e.raw.ActiveDeadlineSeconds = new(seconds)
}

// SetTTLSecondsAfterFinished sets after which time the control plane deletes the finished job. The next reconcile creates
// and runs a deleted job again.
func (e *JobSpecEditor) SetTTLSecondsAfterFinished(seconds int32) {
	e.raw.TTLSecondsAfterFinished = new(seconds)
}
