package deploy_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// hooked creates what a hook of the release needs, as Helm does before it starts the hook's pod.
func hooked(t *testing.T, manifest, account string) {
	t.Helper()
	var needed []string
	for _, object := range objects(t, manifest) {
		if object.GetName() == account && object.GetKind() != "Pod" && object.GetKind() != "Job" {
			assert.Equal(t, "-1", object.GetAnnotations()["helm.sh/hook-weight"], object.GetKind())
			content, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			needed = append(needed, string(content))
		}
	}
	require.Len(t, needed, 3)
	path := file(t, strings.Join(needed, "---\n"))
	kubectl(t, "apply", "--filename", path)
	t.Cleanup(func() { _, _ = cluster.Kubectl(context.Background(), "delete", "--filename", path) })
}

// runHook runs the program of a hook's pod, as the pod does.
func runHook(t *testing.T, pod corev1.PodSpec) error {
	t.Helper()
	assertRestricted(t, pod)
	config, err := cluster.ServiceAccountConfig(t.Context(), namespace, pod.ServiceAccountName)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: config.Host, CertificateAuthorityData: config.CAData, CertificateAuthority: config.CAFile}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {Token: config.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	}, path))
	return app.Main(t.Context(), "test", append(pod.Containers[0].Args, "--kubeconfig="+path))
}

func TestUninstallDeletesTheRulesOnRequest(t *testing.T) {
	const values = "uninstall: {deleteRules: true}"
	manifest, account := mustTemplate(t, values), release+"-uninstall"
	job := the[batchv1.Job](t, manifest, "Job", account)
	assert.Equal(t, "0", job.Annotations["helm.sh/hook-weight"])
	install(t, values)
	o := operate(t, release)
	s := newStory(t)
	s.Ready(s.project())
	s.Ready(s.fanOut())

	hooked(t, manifest, account)
	mark := fixture.Mark(t, cluster)
	require.NoError(t, runHook(t, job.Spec.Template.Spec))
	for _, request := range fixture.RequestsSince(t, cluster, mark, env.ServiceAccountUser(namespace, account)) {
		assert.NotEqual(t, int32(403), request.Code, request)
	}
	assert.Empty(t, kubectl(t, "get", "projections,clusterprojections", "--all-namespaces", "--output", "name"))
	for _, name := range []string{single, many} {
		s.Gone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.Away, Name: name}})
	}
	require.NoError(t, o.Stop())
	helm(t, "uninstall", release, "--no-hooks")
}

func TestUninstallSaysWhichRulesAreLeft(t *testing.T) {
	manifest, account := mustTemplate(t, "uninstall: {deleteRules: true, timeout: 3s}"), release+"-uninstall"
	install(t, "")
	o := operate(t, release)
	s := newStory(t)
	rule := s.project()
	s.Ready(rule)
	require.NoError(t, o.Stop())

	hooked(t, manifest, account)
	err := runHook(t, the[batchv1.Job](t, manifest, "Job", account).Spec.Template.Spec)
	require.ErrorContains(t, err, "rules that are left, because their copies are not deleted yet or no operator runs: 1, such as projections "+rule.Namespace+"/"+rule.Name)
}

func TestTheTestOfAReleaseCopies(t *testing.T) {
	manifest, account := mustTemplate(t), release+"-test"
	test := the[corev1.Pod](t, manifest, "Pod", account)
	assert.Equal(t, "test", test.Annotations["helm.sh/hook"])
	service := the[corev1.Service](t, manifest, "Service", release+"-metrics")
	assert.NotSubset(t, test.Labels, service.Spec.Selector, "the Service does not send scrapes to the test")
	install(t, "")
	hooked(t, manifest, account)
	s := newStory(t)
	o := operate(t, release)
	require.NoError(t, runHook(t, test.Spec))
	var left corev1.ConfigMapList
	require.NoError(t, s.Client.List(t.Context(), &left, client.InNamespace(namespace)))
	for _, object := range left.Items {
		assert.NotContains(t, object.Name, account)
	}

	require.NoError(t, o.Stop())
	test.Spec.Containers[0].Args = append(test.Spec.Containers[0].Args, "--timeout=2s")
	require.ErrorContains(t, runHook(t, test.Spec), "no operator has reconciled the rule of the trial")
	kubectl(t, "get", "projections", "--namespace", namespace)
}
