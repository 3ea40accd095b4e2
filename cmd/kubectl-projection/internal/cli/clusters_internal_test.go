package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

func TestClusterOf(t *testing.T) {
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1", Generation: 2}}
	remote.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "Connected", ObservedGeneration: 2}}
	counted, uncounted, selecting := pulling("", "ConfigMap"), pulling("shop", "ConfigMap"), pulling("", "ConfigMap")
	counted.Object.(*v1.ClusterProjection).Status.NamespacesWritten = new(int32(3))
	selecting.Object.(*v1.ClusterProjection).Status.NamespacesWritten = new(int32(2))
	selecting.Spec.Source.Name, selecting.Spec.Source.Selector = "", &v1.SourceSelector{}

	info := clusterOf(remote, []access.Rule{counted, counted}, access.Settings{})
	assert.Equal(t, []string{"True", "2", "6"}, []string{info.Ready, info.rules(), info.copies()})
	assert.Equal(t, "?", clusterOf(remote, []access.Rule{counted, uncounted}, access.Settings{}).copies())
	assert.Equal(t, "?", clusterOf(remote, []access.Rule{counted, selecting}, access.Settings{}).copies(), "these are namespaces")

	remote.Generation = 3
	assert.Equal(t, "Unknown", clusterOf(remote, nil, access.Settings{}).Ready, "of an earlier spec")
}

func TestPushesIntoARemoteCluster(t *testing.T) {
	info := clusterInfo{Pushes: []ruleInfo{infoOf(pushing("eu-1"), access.Settings{})}}
	assert.Equal(t, "1", info.pushes())
	info.hidesRules = true
	assert.Equal(t, "?", info.pushes())
}

func TestRulesOfARemoteCluster(t *testing.T) {
	here, there := pulling("shop", "ConfigMap"), pulling("pay", "ConfigMap")
	here.SourceCluster = ""
	assert.Equal(t, []access.Rule{there}, rulesOf([]access.Rule{here, there}, "eu-1"))
	assert.Empty(t, rulesOf([]access.Rule{here, there}, "eu-2"))
}
