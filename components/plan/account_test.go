package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// TestOwnerIsHeardWhateverTheAccountIsTold reads a source in the name of an account, or for a rule that lacks one. That there is no source may be
// said to this account only.
func TestOwnerIsHeardWhateverTheAccountIsTold(t *testing.T) {
	writer := &v1.ServiceAccountRef{Namespace: "tenant", Name: "writer"}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", nil)
	unavailable := apierrors.NewServiceUnavailable("later")
	for name, test := range map[string]struct {
		account *v1.ServiceAccountRef
		err     error
		refused bool   // the next try may take long
		reason  string // while the owner consents
	}{
		"forbidden":               {writer, forbidden, true, v1.ReasonSourceFetchFailed},
		"not found":               {writer, source.ErrNotFound, true, v1.ReasonSourceFetchFailed},
		"not sent":                {writer, &apierr.UnsentError{}, true, v1.ReasonSourceFetchFailed},
		"unavailable":             {writer, unavailable, false, v1.ReasonSourceFetchFailed},
		"throttled":               {writer, apierrors.NewTooManyRequests("busy", 1), false, v1.ReasonSourceFetchFailed},
		"unauthorized":            {writer, apierrors.NewUnauthorized("no"), false, v1.ReasonSourceFetchFailed},
		"no answer":               {writer, context.DeadlineExceeded, false, v1.ReasonSourceFetchFailed},
		"the rule has no account": {nil, nil, false, v1.ReasonRuleInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			p := &plan.Planner[*v1.Projection]{Kind: owner.Projection, RequireAccount: true, Spec: func(rule *v1.Projection) owner.Spec {
				return owner.Spec{Source: rule.GetSource(), Account: test.account}
			}}
			rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "rule"}}
			if test.err == nil {
				test.err = p.CheckAccount(rule)
			}
			read := func(unread *plan.UnreadError) (string, *plan.Error) {
				unread.Err = test.err
				object, problem, err := p.ReadSource(t.Context(), rule, p.Spec(rule), source.Kind{}, func(context.Context, source.Kind, v1.SourceRef) (*unstructured.Unstructured, error) {
					return nil, unread
				})
				require.Nil(t, object)
				if err == nil {
					return problem.Reason, nil
				}
				var stopped *plan.Error
				require.ErrorAs(t, err, &stopped)
				assert.True(t, problem.IsZero())
				return stopped.Reason, stopped
			}
			metadata := func(consent string) *unstructured.Unstructured {
				object := &unstructured.Unstructured{}
				object.SetAnnotations(map[string]string{v1.AnnotationProjectable: consent})
				return object
			}
			reason, stopped := read(&plan.UnreadError{Metadata: metadata("false")})
			assert.Equal(t, v1.ReasonSourceOptedOut, reason)
			assert.Nil(t, stopped)

			reason, stopped = read(&plan.UnreadError{Metadata: metadata("true")})
			assert.Equal(t, test.reason, reason)
			assert.Equal(t, test.refused, stopped.Refused)
			assert.Equal(t, test.account != nil, stopped.Retry, "nothing but an edit of the rule, or of the flag, helps a rule that needs an account")

			reason, stopped = read(&plan.UnreadError{Unknown: unavailable})
			assert.Equal(t, test.reason, reason)
			assert.False(t, stopped.Refused, "the owner may have opted out")
			assert.True(t, stopped.Retry)
		})
	}
}
