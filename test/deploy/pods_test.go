package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// createRuntimeClass sees to it that there is the runtime class: without it, the API server takes no pod that names it.
func createRuntimeClass(t *testing.T, name string) {
	t.Helper()
	_, err := kubernetes.NewForConfigOrDie(cluster.Config).NodeV1().RuntimeClasses().
		Create(t.Context(), &nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Handler: "runsc"}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
}

// Where the operator's pods need a setting to run at all, such as a toleration, a proxy or the certificate of one, so do those of the hooks.
func TestPodsOfHooksHaveTheSettingsOfTheOperators(t *testing.T) {
	manifest := mustTemplate(t, `
uninstall: {deleteRules: true}
serviceAccount: {automount: false}
imagePullSecrets: [{name: registry}]
priorityClassName: system-cluster-critical
runtimeClassName: gvisor
hostUsers: true
dnsPolicy: Default
dnsConfig: {options: [{name: ndots, value: "1"}]}
podSecurityContext: {fsGroup: 2000}
nodeSelector: {pool: system}
tolerations: [{key: dedicated, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: DoesNotExist}]}]}}}
extraEnv: [{name: HTTPS_PROXY, value: "http://proxy:3128"}]
extraVolumes: [{name: ca, configMap: {name: ca}}]
extraVolumeMounts: [{name: ca, mountPath: /etc/ssl/extra}]
initContainers: [{name: wait, image: "busybox:1"}]
extraContainers: [{name: proxy, image: "envoy:1"}]
`)
	operator := pod(t, manifest, release)
	for name, hook := range map[string]corev1.PodSpec{
		"test":      the[corev1.Pod](t, manifest, "Pod", release+"-test").Spec,
		"uninstall": the[batchv1.Job](t, manifest, "Job", release+"-uninstall").Spec.Template.Spec,
	} {
		t.Run(name, func(t *testing.T) {
			assert.NotEqual(t, operator.ServiceAccountName, hook.ServiceAccountName)
			assert.NotEqual(t, operator.Containers[0].Args, hook.Containers[0].Args)
			want, container := operator, operator.Containers[0]
			want.ServiceAccountName, want.RestartPolicy = hook.ServiceAccountName, corev1.RestartPolicyNever
			want.TerminationGracePeriodSeconds, want.InitContainers = nil, nil
			container.Name, container.Args = name, hook.Containers[0].Args
			container.Ports, container.LivenessProbe, container.ReadinessProbe = nil, nil, nil
			want.Containers = []corev1.Container{container}
			assert.Equal(t, want, hook)
		})
	}
	assert.Len(t, operator.Containers, 2)
	assert.Len(t, operator.InitContainers, 1)
}

// An account whose token is mounted on request only still works for the operator.
func TestOnlyThePodsOfTheChartMountTheToken(t *testing.T) {
	const automount = `serviceAccount: {automount: false}`
	manifest := mustTemplate(t, automount)
	assert.False(t, *the[corev1.ServiceAccount](t, manifest, "ServiceAccount", release).AutomountServiceAccountToken)
	assert.True(t, *pod(t, manifest, release).AutomountServiceAccountToken)
	assert.Nil(t, pod(t, mustTemplate(t), release).AutomountServiceAccountToken)
}
