package hooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
)

// interval is the time between two looks at what is awaited.
const interval = time.Second

// DeleteRules deletes the rules that match the selector, and returns when the operator has deleted their copies and let the rules go.
// An error names rules that were left when the context ended.
func DeleteRules(ctx context.Context, client metadata.Interface, selector string, log logr.Logger) error {
	var left []string
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (done bool, err error) {
		found, err := deleteOnce(ctx, client, selector)
		if err != nil {
			return false, err
		}
		if len(found) != len(left) {
			log.Info("Waiting for rules whose copies are being deleted", "rules", len(found))
		}
		left = found
		return len(left) == 0, nil
	})
	if wait.Interrupted(err) && len(left) > 0 {
		return fmt.Errorf("rules that are left, because their copies are not deleted yet or no operator runs: %d, such as %s",
			len(left), strings.Join(left[:min(len(left), 5)], ", "))
	}
	return err
}

// deleteOnce deletes the rules that are not being deleted yet, and returns the names of all that were there.
func deleteOnce(ctx context.Context, client metadata.Interface, selector string) (found []string, err error) {
	for _, resource := range []string{"clusterprojections", "projections"} {
		rules := client.Resource(v1.GroupVersion.WithResource(resource))
		list, err := rules.List(ctx, metav1.ListOptions{LabelSelector: selector})
		if apierrors.IsNotFound(err) { // the CRD is gone
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			rule := &list.Items[i]
			found = append(found, resource+" "+strings.TrimPrefix(rule.Namespace+"/"+rule.Name, "/"))
			if rule.DeletionTimestamp != nil {
				continue
			}
			err := rules.Namespace(rule.Namespace).Delete(ctx, rule.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &rule.UID}})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // a conflict is another rule of that name
				return nil, err
			}
		}
	}
	return found, nil
}
