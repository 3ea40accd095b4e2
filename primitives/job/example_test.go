package job_test

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/job"
)

// A task that is tried once.
func ExampleNewBuilder() {
	resource, err := job.NewBuilder(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(job.Mutation{
		Name: "once",
		Mutate: func(m *job.Mutator) error {
			m.EditJobSpec(func(e *editors.JobSpecEditor) error {
				e.SetBackoffLimit(0)
				return nil
			})
			return nil
		},
	}).Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	preview, err := resource.PreviewObject()
	fmt.Println(resource.Identity(), *preview.Spec.BackoffLimit, err)
	// Output: batch/v1/Job/shop/web 0 <nil>
}
