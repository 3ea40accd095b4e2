package component

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// ApplyRequest is one object to apply.
type ApplyRequest struct {
	// Desired is the object with its group, version and kind and without server-set fields, except for the uid of
	// ExpectUID or the resourceVersion of ExpectAbsent, on which the apply depends. An Applier may change it; the resource's
	// status, data extractors and later reads see it as the Applier leaves it.
	Desired client.Object
	// FieldOwner is the field manager to apply as.
	FieldOwner string
	// Identity is the identity of the resource, for messages.
	Identity string
	// Report hands on what the caller of Converge is to learn besides the operation: the last value reported is the
	// Detail of the ResourceResult. A component always sets it.
	Report func(detail any)

	omit []fieldPath
}

// Content returns what is to be sent: Desired without the fields that OmitFields names. Desired stays as it is.
func (r ApplyRequest) Content() (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(r.Desired)
	if err != nil || len(r.omit) == 0 {
		return content, err
	}
	content = runtime.DeepCopyJSON(content) // that of an object without a Go type is its own
	for _, path := range r.omit {
		path.removeFrom(content)
	}
	return content, nil
}

// Applier writes desired objects. A component reads nothing before it calls Apply, unless an option of the resource
// asks for it.
type Applier interface {
	// Apply writes the object, and returns what it did. It sends req.Content(), not Desired: otherwise OmitFields has no effect.
	// The Applier that a component has by default decodes the answer of the API server into Desired. With one that does not,
	// status and data extractors see what was sent. A BlockedError in the chain of the error has the effect of a guard that
	// blocks.
	Apply(ctx context.Context, req ApplyRequest) (concepts.ConvergingOperation, error)
}

// ApplierFunc is a function that is an Applier.
type ApplierFunc func(ctx context.Context, req ApplyRequest) (concepts.ConvergingOperation, error)

// Apply calls the function.
func (f ApplierFunc) Apply(ctx context.Context, req ApplyRequest) (concepts.ConvergingOperation, error) {
	return f(ctx, req)
}

// BlockedError says that a resource has to wait. It is a result: the resource counts as blocked, and the resources
// after it are left alone.
type BlockedError struct {
	// Reason says for what.
	Reason string
}

// Error returns the reason.
func (e *BlockedError) Error() string { return e.Reason }

// existenceError says that the object could not be read before it was applied.
type existenceError struct {
	identity string
	err      error
}

func (e *existenceError) Error() string {
	return fmt.Sprintf("failed to check existence of resource %s: %v", e.identity, e.err)
}

func (e *existenceError) Unwrap() error { return e.err }

// forcedApply reads the object, applies it with force and compares.
type forcedApply struct {
	client client.Client
	reads  client.Reader
}

// NewForcedApplier returns the Applier that a component has by default, with a reader of your choice for the read before
// each apply: the client reads typed objects from a cache, which then watches all objects of the kind. Nil means the client.
//
// Example: an operator that manages a few Secrets passes mgr.GetAPIReader(), and so keeps no copy of all Secrets in memory.
func NewForcedApplier(c client.Client, reads client.Reader) Applier {
	if reads == nil {
		reads = c
	}
	return forcedApply{client: c, reads: reads}
}

func (a forcedApply) Apply(ctx context.Context, req ApplyRequest) (concepts.ConvergingOperation, error) {
	live := emptyLike(req.Desired)
	err := a.reads.Get(ctx, client.ObjectKeyFromObject(req.Desired), live)
	exists := err == nil
	if err != nil && !apierrors.IsNotFound(err) {
		return concepts.ConvergingOperationNone, &existenceError{identity: req.Identity, err: err}
	}
	if err := a.force(ctx, req); err != nil {
		return concepts.ConvergingOperationNone, err
	}
	if !exists {
		return concepts.ConvergingOperationCreated, nil
	}
	changed, err := differ(live, req.Desired)
	if err != nil || !changed {
		return concepts.ConvergingOperationNone, err
	}
	return concepts.ConvergingOperationUpdated, nil
}

// force applies the object and decodes the answer into it.
func (a forcedApply) force(ctx context.Context, req ApplyRequest) error {
	desired, err := req.Content()
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: desired}
	err = a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object),
		client.ForceOwnership, client.FieldOwner(req.FieldOwner))
	if err != nil {
		return err
	}
	if untyped, ok := req.Desired.(runtime.Unstructured); ok {
		untyped.SetUnstructuredContent(object.Object)
		return nil
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, req.Desired)
}

// differ compares two states of an object without what every write, or none of ours, changes.
func differ(before, after client.Object) (bool, error) {
	if version := before.GetResourceVersion(); version != "" && version == after.GetResourceVersion() {
		return false, nil // the API server wrote nothing
	}
	was, err := comparableContent(before)
	if err != nil {
		return false, err
	}
	is, err := comparableContent(after)
	if err != nil {
		return false, err
	}
	return !equality.Semantic.DeepEqual(was, is), nil
}

func comparableContent(object client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	for _, field := range []string{"apiVersion", "kind", "status"} {
		delete(content, field)
	}
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(content, "metadata", field)
	}
	removeKindsOfClaims(content)
	return content, nil
}

// removeKindsOfClaims removes the kinds of the volume claim templates of a StatefulSet: reads in protobuf do not have them, the
// answers to applies, which are JSON, do.
func removeKindsOfClaims(content map[string]any) {
	spec, _ := content["spec"].(map[string]any)
	claims, _ := spec["volumeClaimTemplates"].([]any)
	for _, claim := range claims {
		if object, ok := claim.(map[string]any); ok {
			delete(object, "apiVersion")
			delete(object, "kind")
		}
	}
}
