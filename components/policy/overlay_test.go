package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

func TestTenantsSetFieldsOfDataOnly(t *testing.T) {
	deployment, secret := schema.GroupKind{Group: "apps", Kind: "Deployment"}, schema.GroupKind{Kind: "Secret"}
	configMap, impostor := schema.GroupKind{Kind: "ConfigMap"}, schema.GroupKind{Group: "example.com", Kind: "ConfigMap"}
	binding := schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}
	for name, test := range map[string]struct {
		namespaced bool
		kind       schema.GroupKind
		path       string
		refused    bool
	}{
		"a ConfigMap":                      {true, configMap, "data.a", false},
		"a Secret":                         {true, secret, `data["a"]`, false},
		"the type of a Secret":             {true, secret, "type", false},
		"fields that are not stored":       {true, secret, "stringData.a", true},
		"and by their whole":               {false, secret, "stringData", true},
		"all keys of a Secret":             {false, secret, "data", true},
		"all keys of a ConfigMap":          {true, configMap, "data", false},
		"such fields of another kind":      {false, impostor, "stringData.a", false},
		"a Deployment":                     {true, deployment, "spec.replicas", true},
		"a field like metadata":            {true, deployment, "metadatas.a", true},
		"a label of a Deployment":          {true, deployment, `metadata.labels["a"]`, false},
		"an annotation of a Deployment":    {true, deployment, "metadata.annotations.a", false},
		"a kind of the same name":          {true, impostor, "data.a", true},
		"a Deployment, in the cluster's":   {false, deployment, "spec.replicas", false},
		"a RoleBinding, in the cluster's":  {false, binding, "subjects", false},
		"a RoleBinding of a tenant's rule": {true, binding, "subjects[kind=Group].name", true},
	} {
		t.Run(name, func(t *testing.T) {
			fields := []v1.OverlayField{{Path: `metadata.labels["first"]`, Expression: "'x'"}, {Path: test.path, Expression: "'x'"}}
			problem := policy.CheckOverlay(test.namespaced, test.kind, test.kind, fields)
			assert.Equal(t, test.refused, !problem.IsZero(), problem.Sentence())
			if test.refused {
				assert.Equal(t, v1.ReasonRuleInvalid, problem.Reason)
				assert.Equal(t, policy.CopiesKept, problem.Copies)
			}
		})
	}
}
