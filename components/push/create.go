package push

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// createTime is how long the request to create a namespace may take.
const createTime = 30 * time.Second

// createNamespaces creates the namespaces that the rule lists and the cluster lacks, in the name of the user, if the rule says so. It tries all of them,
// and returns the first failure.
func (c *Clusters) createNamespaces(ctx context.Context, in *branch, of rule, user impersonate.User) error {
	if of.Spec.Destination.CreateNamespaces != v1.CreateNamespacesIfMissing {
		return nil
	}
	scope, err := c.scopeOf(of, in.name)
	if err != nil || !scope.IsTarget {
		return err
	}
	var failed error
	for _, name := range slices.Sorted(slices.Values(of.Spec.Destination.Namespaces)) {
		known := in.namespaces.Get(ctx, client.ObjectKey{Name: name}, watch.NewNamespace())
		if !apierrors.IsNotFound(known) || scope.Excludes(name) != "" {
			continue
		}
		if err := c.createNamespace(ctx, in, name, user); err != nil && failed == nil {
			failed = plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
				Reason: v1.ReasonDestinationCreateFailed, Message: "the namespace " + name + " cannot be created",
			}, err)
		}
	}
	return failed
}

// createNamespace creates a namespace. One that there is already is left as it is.
func (c *Clusters) createNamespace(ctx context.Context, in *branch, name string, user impersonate.User) error {
	ctx, cancel := context.WithTimeout(impersonate.As(ctx, user), createTime)
	defer cancel()
	body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{
		"name": name, "labels": map[string]string{v1.LabelOwnedByHubPrefix + c.options.Hub.ID: ""}, "resourceVersion": createOnly,
	}})
	if err != nil {
		return err
	}
	created, err := in.clients.Writes.Resource(namespacesResource).Patch(ctx, name, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: fieldManager})
	if apierrors.IsConflict(err) {
		return nil
	}
	if err == nil {
		in.namespaces.Event(created, false) // the event of the watch comes later
	}
	return err
}

const (
	// createOnly is a resourceVersion that no object has: an apply with it creates an object, or is a conflict.
	createOnly = "1"
	// fieldManager is the one of namespaces that were created.
	fieldManager = "projection-namespaces"
)
