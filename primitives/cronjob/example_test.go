package cronjob_test

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/cronjob"
	"projection.sh/operator/primitives/editors"
)

// A task of each night.
func ExampleNewBuilder() {
	resource, err := cronjob.NewBuilder(&batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}}).WithMutation(cronjob.Mutation{
		Name: "schedule",
		Mutate: func(m *cronjob.Mutator) error {
			m.EditCronJobSpec(func(e *editors.CronJobSpecEditor) error {
				e.SetSchedule("0 3 * * *")
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
	fmt.Println(resource.Identity(), preview.Spec.Schedule, err)
	// Output: batch/v1/CronJob/shop/web 0 3 * * * <nil>
}
