package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/mutations"
)

// Results of checks.
const (
	Accepted  = "accepted"
	Declined  = "refused"
	Recreated = "recreated"
	NotKnown  = "unknown"
)

// Check is what the API server says of a write that it was asked to check, and not to keep.
type Check struct {
	Result  string `json:"result"`
	Message string `json:"message,omitempty"`
}

// CheckWrites asks the API server about each copy that would be created, updated or adopted, with the permissions of the caller.
func (f *Forecaster) CheckWrites(ctx context.Context, rule access.Rule, changes []Change) error {
	return eachWrite(ctx, changes, func(ctx context.Context, change *Change) error {
		object, err := change.wished.object()
		if err != nil {
			change.Check = &Check{Declined, unrendered(err).Message}
			return nil
		}
		change.Check, err = f.check(ctx, rule, change.wished, object)
		return err
	})
}

// eachWrite calls the function with each change that writes a copy, some at a time.
func eachWrite(ctx context.Context, changes []Change, do func(context.Context, *Change) error) error {
	requests, ctx := errgroup.WithContext(ctx)
	requests.SetLimit(maxRequests)
	for i := range changes {
		change := &changes[i]
		if change.Action.IsWrite() {
			requests.Go(func() error { return do(ctx, change) })
		}
	}
	return requests.Wait()
}

// object returns the copy as the operator applies it.
func (w *wish) object() (*unstructured.Unstructured, error) {
	resource, err := w.desired.Resource(nil)
	if err != nil {
		return nil, err
	}
	return resource.PreviewObject()
}

func (f *Forecaster) check(ctx context.Context, rule access.Rule, wished *wish, object *unstructured.Unstructured) (*Check, error) {
	body, err := json.Marshal(object.Object)
	if err != nil {
		return nil, err
	}
	options := metav1.PatchOptions{FieldManager: rule.FieldManager(), Force: new(true), DryRun: []string{metav1.DryRunAll}}
	at := wished.desired.At
	_, err = f.cluster.Content.Resource(wished.kind.GroupVersionResource()).Namespace(at.Namespace).Patch(ctx, at.Name, types.ApplyPatchType, body, options)
	if wished.isSecret() {
		err = apierr.RedactSecret(err)
	}
	switch {
	case err == nil:
		return &Check{Result: Accepted}, nil
	case access.MayNotWrite(err):
		return &Check{NotKnown, "you may not write it"}, nil
	case isOfOperator(err):
		return &Check{NotKnown, "a policy lets only the operator write it"}, nil
	case apierr.IsImmutable(err) && wished.isRecreated(object.GetAnnotations()[v1.AnnotationSourceUID]):
		return &Check{Recreated, "the copy is deleted and created again"}, nil
	case apierr.IsTerminal(err) || apierr.IsImmutable(err):
		return &Check{Declined, apierr.Message(err)}, nil
	case isAnswer(err):
		return &Check{NotKnown, apierr.Message(err)}, nil
	default:
		return nil, err
	}
}

// isRecreated reports whether the operator deletes the copy and creates it again if it cannot be changed: as the rule says, or since its source, which
// has the uid, was replaced.
func (w *wish) isRecreated(sourceUID string) bool {
	kind, former := w.kind.GroupKind(), w.found.sourceUID
	if mutations.IsReplaceable(kind) && former != "" && former != sourceUID {
		return true
	}
	return w.found.isOwned && w.spec.Policy.OnImmutable == v1.ImmutableRecreate && kind != schema.GroupKind{Kind: "PersistentVolumeClaim"}
}

// isSecret reports whether the copy, its source or the object in its place may hold what a Secret holds.
func (w *wish) isSecret() bool {
	return w.spec.HasSecret() || w.kind.GroupKind() == schema.GroupKind{Kind: "Secret"} || strings.HasPrefix(w.found.source, "Secret/") || w.found.hasSecretLayer
}

// policiesOfOperator are those of deploy/policies that let only the operator write copies.
var policiesOfOperator = regexp.MustCompile(`'(ownership|copies)[.]projection[.]sh'`)

// isOfOperator reports whether such a policy has denied the request.
func isOfOperator(err error) bool {
	var answer apierrors.APIStatus
	return errors.As(err, &answer) && policiesOfOperator.MatchString(answer.Status().Message)
}

func isAnswer(err error) bool {
	var answer apierrors.APIStatus
	return errors.As(err, &answer)
}
