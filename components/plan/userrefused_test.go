package plan_test

import (
	"context"
	"errors"
	"net/http"
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

func TestSourceThatTheUserOfAnotherClusterMayNotRead(t *testing.T) {
	forbidden := func(message string) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: message}}
	}
	const byUser = `configmaps "roots" is forbidden: User "ns:a" cannot get resource "configmaps" in API group "" in the namespace "pki"`
	for name, test := range map[string]struct {
		err    error
		wanted string
	}{
		"no role": {forbidden(byUser), "the user ns:a, which the RemoteCluster impersonates, cannot read ConfigMap pki/roots in the cluster eu-1; " +
			"grant it get there: kubectl projection rights eu-1 prints the role (" + byUser + ")"},
		"no impersonation": {
			forbidden(`users "ns:a" is forbidden: User "hub" cannot impersonate resource "users" in API group "" at the cluster scope`),
			"the operator may not impersonate the user ns:a in the cluster eu-1; grant it impersonate there: " +
				`kubectl projection rights eu-1 prints the role (User "hub" is not allowed to impersonate the user)`,
		},
		"the header is removed": {
			&apierr.UnsentError{Message: "the header is missing", Advice: "find the proxy"},
			"nothing can be read in the name of the user ns:a in the cluster eu-1; find the proxy (the header is missing)",
		},
		"a failure": {errors.New("broken"), "ConfigMap pki/roots in the cluster eu-1 cannot be read in the name of the user ns:a; the operator retries (broken)"},
	} {
		t.Run(name, func(t *testing.T) {
			ref := v1.SourceRef{Cluster: "eu-1", Kind: "ConfigMap", Namespace: "pki", Name: "roots"}
			p := &plan.Planner[*v1.Projection]{Kind: owner.Projection, Spec: func(*v1.Projection) owner.Spec { return owner.Spec{Source: ref} }}
			kind := source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"}
			metadata := &unstructured.Unstructured{}
			metadata.SetAnnotations(map[string]string{v1.AnnotationProjectable: "true", v1.AnnotationExportable: "true"})
			_, _, err := p.ReadSource(t.Context(), &v1.Projection{}, p.Spec(nil), kind,
				func(context.Context, source.Kind, v1.SourceRef) (*unstructured.Unstructured, error) {
					return nil, &plan.UnreadError{User: "ns:a", Metadata: metadata, Err: test.err}
				})
			var stopped *plan.Error
			require.ErrorAs(t, err, &stopped)
			assert.Equal(t, test.wanted, stopped.Sentence())
			assert.Equal(t, v1.ReasonSourceFetchFailed, stopped.Reason)
		})
	}
}
