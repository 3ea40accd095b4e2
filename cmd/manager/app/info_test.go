package app_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// leadIn runs a manager of a version that leads in the namespace until it has looked at the ConfigMap, and returns its requests for it.
func leadIn(t *testing.T, namespace, version string, adapt func(*appOptions)) []env.Request {
	t.Helper()
	user := namespace + "-" + version
	config, err := cluster.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	mark := fixture.Mark(t, cluster)
	m := run(t, config, func(o *appOptions) {
		o.LeaderElectionNamespace, o.Version = namespace, version
		if adapt != nil {
			adapt(o)
		}
	})
	data := m.Options
	require.Eventually(t, func() bool {
		info, err := kube().CoreV1().ConfigMaps(namespace).Get(t.Context(), v1.ConfigMapInfo, metav1.GetOptions{})
		return err == nil && info.Data["version"] == version && info.Data["source-mode"] == data.SourceMode && len(requestsFor(t, mark, user)) > 0
	}, env.Timeout, env.Interval)
	m.stop()
	return requestsFor(t, mark, user)
}

// requestsFor returns the requests of a user for the ConfigMap.
func requestsFor(t *testing.T, mark env.AuditMark, user string) []env.Request {
	t.Helper()
	var found []env.Request
	for _, request := range fixture.RequestsSince(t, cluster, mark, user) {
		if request.Name == v1.ConfigMapInfo {
			found = append(found, request)
		}
	}
	return found
}

func verbs(requests []env.Request) []string {
	found := make([]string, len(requests))
	for i, request := range requests {
		found[i] = request.Verb
	}
	return found
}

func TestLeaderDescribesItsInstallation(t *testing.T) {
	namespace := newNamespace(t)
	shard := func(o *appOptions) { o.WatchLabelSelector = "shard=blue" }
	assert.Equal(t, []string{"get", "patch"}, verbs(leadIn(t, namespace, "v1.2.3", shard)))
	info, err := kube().CoreV1().ConfigMaps(namespace).Get(t.Context(), v1.ConfigMapInfo, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"version": "v1.2.3", "source-mode": "allowlist", "selector-excluded-namespaces": "kube-system,kube-public,kube-node-lease",
		"watch-label-selector": "shard=blue", "requeue-interval": "30s", "require-service-account": "false", "default-service-account": "",
		"remote-clusters": "false", "hub-id": "",
	}, info.Data)

	assert.Equal(t, []string{"get"}, verbs(leadIn(t, namespace, "v1.2.3", shard)), "a restart writes nothing")
	_, err = kube().CoreV1().ConfigMaps(namespace).Patch(t.Context(), v1.ConfigMapInfo, types.MergePatchType,
		[]byte(`{"data":{"contact":"platform team"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"get"}, verbs(leadIn(t, namespace, "v1.2.3", shard)), "a key of somebody else is left alone")
	assert.Equal(t, []string{"get", "patch"}, verbs(leadIn(t, namespace, "v1.2.4", shard)), "another version")
	permissive := func(o *appOptions) { shard(o); o.SourceMode = "permissive" }
	assert.Equal(t, []string{"get", "patch"}, verbs(leadIn(t, namespace, "v1.2.4", permissive)), "another flag")
}

func TestDescriptionIsRepairedByTheNextLeader(t *testing.T) {
	namespace := newNamespace(t)
	leadIn(t, namespace, "v1", nil)
	_, err := kube().CoreV1().ConfigMaps(namespace).Patch(t.Context(), v1.ConfigMapInfo, types.MergePatchType,
		[]byte(`{"data":{"source-mode":"forged"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"get", "patch"}, verbs(leadIn(t, namespace, "v1", nil)))
}

// forbidden is what an API server answers to somebody without the permission.
func forbidden(request *http.Request) *http.Response {
	const status = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`
	return &http.Response{
		StatusCode: http.StatusForbidden, Request: request, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(status)),
	}
}

// An upgrade of the image alone brings no permission: the operator works without the ConfigMap, and does not ask again.
func TestOperatorWithoutThePermissionGoesOn(t *testing.T) {
	namespace := newNamespace(t)
	asked := make(chan struct{}, 10)
	config := env.Intercept(cluster.Config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if request.URL.Path == "/api/v1/namespaces/"+namespace+"/configmaps/"+v1.ConfigMapInfo {
			asked <- struct{}{}
			return forbidden(request), nil
		}
		return next.RoundTrip(request)
	})
	m := run(t, config, func(o *appOptions) { o.LeaderElectionNamespace, o.RequeueInterval = namespace, time.Second })
	<-asked
	rule := newRule(t, nil)
	require.Eventually(t, func() bool { return served(t, rule) }, env.Timeout, env.Interval)
	m.stop()
	assert.Empty(t, asked)
}
