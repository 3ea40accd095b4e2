package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/primitives/concepts"
)

func TestNotTheSource(t *testing.T) {
	guard := policy.DestinationGuard("", v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}, nil, nil)
	tests := map[string]struct {
		namespace, name string
		blocked         bool
	}{
		"the source":                           {"home", "settings", true},
		"the same namespace, another name":     {"home", "renamed", false},
		"another namespace, the same name":     {"away", "settings", false},
		"another namespace and another name":   {"away", "renamed", false},
		"the name of the namespace as a name":  {"settings", "home", false},
		"a namespace that begins as the other": {"home2", "settings", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var copied unstructured.Unstructured
			copied.SetAPIVersion("v1")
			copied.SetKind("ConfigMap")
			copied.SetNamespace(test.namespace)
			copied.SetName(test.name)
			verdict, err := guard(copied)
			require.NoError(t, err)
			if !test.blocked {
				assert.Equal(t, concepts.GuardStatusWithReason{Status: concepts.GuardStatusUnblocked}, verdict)
				return
			}
			assert.Equal(t, concepts.GuardStatusBlocked, verdict.Status)
			assert.Equal(t, policy.DestinationIsSource, verdict.Reason)
			assert.Contains(t, verdict.Reason, "the destination is the source itself")
		})
	}
}

func TestSourceIsInOneCluster(t *testing.T) {
	var copied unstructured.Unstructured
	copied.SetAPIVersion("v1")
	copied.SetKind("ConfigMap")
	copied.SetNamespace("home")
	copied.SetName("settings")
	for _, test := range []struct {
		copies, source string
		blocked        bool
	}{{"", "", true}, {"east", "", false}, {"", "east", false}, {"east", "east", true}, {"east", "west", false}} {
		source := v1.SourceRef{Cluster: test.source, Kind: "ConfigMap", Namespace: "home", Name: "settings"}
		verdict, err := policy.DestinationGuard(test.copies, source, nil, nil)(copied)
		require.NoError(t, err)
		assert.Equal(t, test.blocked, verdict.Status == concepts.GuardStatusBlocked, "%+v", test)
	}
}

func TestObjectOfAnotherKindIsNotTheSource(t *testing.T) {
	guard := policy.DestinationGuard("", v1.SourceRef{Kind: "Secret", Namespace: "home", Name: "settings"}, nil, nil)
	for kind, blocked := range map[string]bool{"Secret": true, "ConfigMap": false} {
		var copied unstructured.Unstructured
		copied.SetAPIVersion("v1")
		copied.SetKind(kind)
		copied.SetNamespace("home")
		copied.SetName("settings")
		verdict, err := guard(copied)
		require.NoError(t, err)
		assert.Equal(t, blocked, verdict.Status == concepts.GuardStatusBlocked, kind)
	}
}

func TestWithdrawn(t *testing.T) {
	var asked []string
	withdrawn := func(namespace string) bool {
		asked = append(asked, namespace)
		return namespace == "left"
	}
	guard := policy.DestinationGuard("", v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}, nil, withdrawn)
	for namespace, blocked := range map[string]bool{"left": true, "target": false} {
		var copied unstructured.Unstructured
		copied.SetNamespace(namespace)
		copied.SetName("settings")
		verdict, err := guard(copied)
		require.NoError(t, err)
		assert.Equal(t, blocked, verdict.Status == concepts.GuardStatusBlocked, namespace)
		assert.Equal(t, blocked, verdict.Reason == policy.Withdrawn, namespace)
	}
	assert.ElementsMatch(t, []string{"left", "target"}, asked)
}

func TestNoLayer(t *testing.T) {
	layers := []v1.LayerSpec{
		{Source: v1.SourceRef{Kind: "Secret", Namespace: "away", Name: "settings"}},
		{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "away", Name: "settings"}},
	}
	guard := policy.DestinationGuard("", v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}, layers, nil)
	for name, blocked := range map[string]bool{"settings": true, "other": false} {
		var copied unstructured.Unstructured
		copied.SetAPIVersion("v1")
		copied.SetKind("ConfigMap")
		copied.SetNamespace("away")
		copied.SetName(name)
		verdict, err := guard(copied)
		require.NoError(t, err)
		assert.Equal(t, blocked, verdict.Status == concepts.GuardStatusBlocked, name)
		if blocked {
			assert.Equal(t, policy.DestinationIsLayer, verdict.Reason)
		}
	}
}
