package editors

import (
	batchv1 "k8s.io/api/batch/v1"
)

// CronJobSpecEditor edits the spec of a CronJob. There is no setter for suspend, which belongs to the suspension.
type CronJobSpecEditor struct {
	wrapper[batchv1.CronJobSpec]
}

var _ RawEditor[batchv1.CronJobSpec] = (*CronJobSpecEditor)(nil)

// NewCronJobSpecEditor returns an editor of spec.
func NewCronJobSpecEditor(spec *batchv1.CronJobSpec) *CronJobSpecEditor {
	return &CronJobSpecEditor{wrapper[batchv1.CronJobSpec]{spec}}
}

// SetSchedule sets when jobs start, in the syntax of cron.
func (e *CronJobSpecEditor) SetSchedule(schedule string) { e.raw.Schedule = schedule }

// SetTimeZone sets the time zone of the schedule.
func (e *CronJobSpecEditor) SetTimeZone(zone string) { e.raw.TimeZone = new(zone) }

// SetConcurrencyPolicy says what happens when a job is due while another one runs.
func (e *CronJobSpecEditor) SetConcurrencyPolicy(policy batchv1.ConcurrencyPolicy) {
	e.raw.ConcurrencyPolicy = policy
}

// SetStartingDeadlineSeconds sets how late a job may start.
func (e *CronJobSpecEditor) SetStartingDeadlineSeconds(seconds int64) {
	e.raw.StartingDeadlineSeconds = new(seconds)
}

// SetSuccessfulJobsHistoryLimit sets how many succeeded jobs are kept.
func (e *CronJobSpecEditor) SetSuccessfulJobsHistoryLimit(limit int32) {
	e.raw.SuccessfulJobsHistoryLimit = new(limit)
}

// SetFailedJobsHistoryLimit sets how many failed jobs are kept.
func (e *CronJobSpecEditor) SetFailedJobsHistoryLimit(limit int32) {
	e.raw.FailedJobsHistoryLimit = new(limit)
}
