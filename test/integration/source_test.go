package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestSourceDeletedAndBackAgain(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	w.Delete(source)
	w.gone(source, w.Away, "settings")
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionUnknown, v1.ReasonSourceNotResolved)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	assert.Empty(t, rule.Status.DestinationName)

	source = w.Apply(configMap)
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", fixture.Anything)
}

func TestRuleBeforeItsSource(t *testing.T) {
	w := newWorld(t)
	rule := w.Project("settings", w.Object(configMap))
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceNotFound)

	source := w.Apply(configMap)
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", fixture.Anything)
}

func TestSourceReplacedByAnotherOfTheSameName(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	w.Delete(source)
	w.Create(`
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
data: {other: content}
`)
	w.Exists(source, w.Away, "settings", func(o *unstructured.Unstructured) bool {
		return data(o, "other") == "content" && data(o, "color") == ""
	})
}

func TestVetoAndConsent(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("settings", source)
	w.Ready(rule)

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(source, w.Away, "settings")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceOptedOut)

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	w.Ready(rule)
	w.Exists(source, w.Away, "settings", fixture.Anything)

	w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":null}}}`)
	w.gone(source, w.Away, "settings")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
}

func TestCredentialsAreNeverProjected(t *testing.T) {
	w := newWorld(t)
	w.Create(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: $HOME}}`)
	source := w.Create(`
apiVersion: v1
kind: Secret
metadata:
  name: token
  namespace: $HOME
  annotations: {projection.sh/projectable: "true", kubernetes.io/service-account.name: robot}
type: kubernetes.io/service-account-token
`)
	rule := w.Project("token", source)
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
	_, err := w.Get(source, w.Away, "token")
	assert.Error(t, err)
}

func TestKindsThatCannotBeProjected(t *testing.T) {
	tests := map[string]struct {
		source   v1.SourceRef
		sentence string
	}{
		"unknown kind":    {v1.SourceRef{Kind: "ConfigMop"}, `the API server serves no kind "ConfigMop" in the core group; there are no copies; did you mean source.kind: ConfigMap?`},
		"no group":        {v1.SourceRef{Kind: "Deployment"}, `did you mean source.group: apps?`},
		"unknown group":   {v1.SourceRef{Group: "nobody.example.com", Kind: "Widget"}, `the API server does not serve the group "nobody.example.com"`},
		"unknown version": {v1.SourceRef{Group: "apps", Version: "v9", Kind: "Deployment"}, `but v1; there are no copies; correct source.version, or remove it`},
		"cluster-scoped":  {v1.SourceRef{Kind: "Namespace"}, `Namespace is cluster-scoped, and only namespaced objects can be copied`},
		"not readable":    {v1.SourceRef{Group: "authorization.k8s.io", Kind: "LocalSubjectAccessReview"}, `LocalSubjectAccessReview cannot be copied, because the API server does not support get on it`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.source.Namespace, test.source.Name = w.Home, "it"
			rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, Name: "rule"}, Spec: v1.ProjectionSpec{Source: test.source}}
			require.NoError(t, w.Client.Create(t.Context(), rule))

			condition := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceResolutionFailed)
			assert.Contains(t, condition.Message, test.sentence)
			assert.Empty(t, rule.Finalizers, "a rule that never wrote holds nothing")
		})
	}
}

func TestResolvedVersionIsReported(t *testing.T) {
	w := newWorld(t)
	source := w.Create(deployment)
	rule := w.Project("web", source)
	w.Merge(rule, `{"spec":{"source":{"version":null}}}`)
	w.Ready(rule)
	condition := w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionTrue, v1.ReasonResolved)
	assert.Equal(t, "found Deployment "+w.Home+"/web in preferred version apps/v1; it may be copied", condition.Message)
}
