package remotecluster

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// defaultRetry is how often to look again for RemoteClusters that cannot be listed.
const defaultRetry = time.Minute

// definitionFile has the CustomResourceDefinition.
const definitionFile = "config/crd/bases/projection.sh_remoteclusters.yaml"

// awaitKind waits until RemoteClusters can be listed. It returns false if the context ends first. An informer of a kind that is not served, or may not be
// listed, would keep the manager from being ready.
func awaitKind(ctx context.Context, live client.Reader, retry time.Duration) bool {
	said := ""
	return wait.PollUntilContextCancel(ctx, retry, true, func(ctx context.Context) (bool, error) {
		err := live.List(ctx, &v1alpha1.RemoteClusterList{}, client.Limit(1))
		if err == nil {
			return true, nil
		}
		if advice := adviceFor(err); ctx.Err() == nil && advice != said {
			log.FromContext(ctx).Info("No other cluster is connected: RemoteClusters cannot be listed", "advice", advice, "reason", err.Error())
			said = advice
		}
		return false, nil
	}) == nil
}

// adviceFor says what to do if RemoteClusters cannot be listed.
func adviceFor(err error) string {
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err):
		return "apply " + definitionFile + ", or start the operator without --remote-clusters"
	case apierrors.IsForbidden(err):
		return "permit the operator to get, list and watch remoteclusters.projection.sh, or start it without --remote-clusters"
	default:
		return "check that the API server works"
	}
}

// definitionName is that of the CustomResourceDefinition.
const definitionName = "remoteclusters." + v1.Domain

// isDefined reports whether RemoteClusters are defined to stay. If not, their deletion means nothing: it goes with that of the definition. An operator
// that may not read the definition believes the deletion.
func isDefined(ctx context.Context, live client.Reader) (bool, error) {
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	err := live.Get(ctx, client.ObjectKey{Name: definitionName}, found)
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case apierrors.IsForbidden(err):
		return true, nil
	default:
		return found.GetDeletionTimestamp() == nil, err
	}
}
