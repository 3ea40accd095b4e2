package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

func TestNamespaceHasTheReasonThatConcernsIt(t *testing.T) {
	permission, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: "namespaces: team in (web)"})
	require.NoError(t, err)
	limited, free := Branch{permission: permission}, Branch{}
	atHome, ofLayer, renamed := limited, limited, limited
	atHome.spec.Source = v1.SourceRef{Kind: "Secret", Namespace: "here", Name: "ca"}
	ofLayer.spec.Source = v1.SourceRef{Kind: "Secret", Namespace: "there", Name: "ca"}
	ofLayer.spec.Merge.Layers = []v1.LayerSpec{{Source: atHome.spec.Source}}
	renamed.spec.Source, renamed.spec.Name = atHome.spec.Source, "trust"
	empty := Branch{Refused: &Verdict{State: NotTarget, Reason: v1.ReasonSourceNotFound, Message: "nothing matches"}}
	all := v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{}}
	tests := map[string]struct {
		destination v1.ClusterProjectionDestination
		branches    []Branch
		labels      map[string]string
		reason      string
	}{
		"not permitted":           {all, []Branch{limited}, map[string]string{"team": "shop"}, v1.ReasonDestinationNotPermitted},
		"the place of the source": {all, []Branch{limited}, map[string]string{"team": "web"}, ReasonPlaceOfSource},
		"that of a layer":         {all, []Branch{ofLayer}, nil, ReasonPlaceOfSource},
		"without a label":         {all, []Branch{atHome}, nil, ReasonPlaceOfSource},
		"beside the source":       {all, []Branch{renamed}, nil, v1.ReasonDestinationNotPermitted},
		"of one of two":           {all, []Branch{free, limited}, map[string]string{"team": "shop"}, v1.ReasonDestinationNotPermitted},
		"no limit":                {all, []Branch{free}, nil, ReasonPlaceOfSource},
		"nothing to copy":         {all, []Branch{empty}, nil, v1.ReasonSourceNotFound},
		"not listed":              {v1.ClusterProjectionDestination{Namespaces: []string{"a"}}, []Branch{empty}, nil, ReasonNotListed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Destination: test.destination}}
			namespace := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "here", Labels: test.labels}}
			refused := deniedBy(test.branches, "here", func(branch Branch) consent {
				if branch.permission.Permits(test.labels) {
					return granted
				}
				return denied
			})
			verdict := explainOther(rule, namespace, access.Settings{Known: true}, test.branches, refused)
			assert.Equal(t, test.reason, verdict.Reason)
			assert.Equal(t, "here", verdict.Namespace)
			assert.Equal(t, NotTarget, verdict.State)
			if test.reason == v1.ReasonDestinationNotPermitted {
				assert.Equal(t, permission.Refusal(), verdict.Message)
			}
		})
	}
	assert.Equal(t, plan.Copies{}, deniedBy(nil, "here", nil))
	assert.False(t, empty.HasFailed())
	assert.True(t, Branch{Refused: &Verdict{State: Refused}}.HasFailed())
}
