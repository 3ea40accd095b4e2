package editors_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/internal/filltest"
)

// everySpec is what all editors edit, except for content without a Go type.
type everySpec struct {
	Meta          metav1.ObjectMeta
	Container     corev1.Container
	Pod           corev1.PodSpec
	Deployment    appsv1.DeploymentSpec
	StatefulSet   appsv1.StatefulSetSpec
	DaemonSet     appsv1.DaemonSetSpec
	ReplicaSet    appsv1.ReplicaSetSpec
	Job           batchv1.JobSpec
	CronJob       batchv1.CronJobSpec
	Service       corev1.ServiceSpec
	Ingress       networkingv1.IngressSpec
	NetworkPolicy networkingv1.NetworkPolicySpec
	HPA           autoscalingv2.HorizontalPodAutoscalerSpec
	PDB           policyv1.PodDisruptionBudgetSpec
	PVC           corev1.PersistentVolumeClaimSpec
	PV            corev1.PersistentVolumeSpec
	ConfigMap     corev1.ConfigMap
	Secret        corev1.Secret
	Rules         []rbacv1.PolicyRule
	Subjects      []rbacv1.Subject
}

// editors returns an editor of each type.
func (s *everySpec) editors() []any {
	return []any{
		editors.NewObjectMetaEditor(&s.Meta), editors.NewContainerEditor(&s.Container), editors.NewPodSpecEditor(&s.Pod),
		editors.NewDeploymentSpecEditor(&s.Deployment), editors.NewStatefulSetSpecEditor(&s.StatefulSet),
		editors.NewDaemonSetSpecEditor(&s.DaemonSet), editors.NewReplicaSetSpecEditor(&s.ReplicaSet),
		editors.NewJobSpecEditor(&s.Job), editors.NewCronJobSpecEditor(&s.CronJob), editors.NewServiceSpecEditor(&s.Service),
		editors.NewIngressSpecEditor(&s.Ingress), editors.NewNetworkPolicySpecEditor(&s.NetworkPolicy),
		editors.NewHPASpecEditor(&s.HPA), editors.NewPodDisruptionBudgetSpecEditor(&s.PDB),
		editors.NewPVCSpecEditor(&s.PVC), editors.NewPVSpecEditor(&s.PV),
		editors.NewConfigMapDataEditor(&s.ConfigMap.Data, &s.ConfigMap.BinaryData),
		editors.NewSecretDataEditor(&s.Secret.Data, &s.Secret.StringData),
		editors.NewPolicyRulesEditor(&s.Rules), editors.NewBindingSubjectsEditor(&s.Subjects),
	}
}

// repeatable reports whether to call the method twice is to call it once. A metric of an unknown type has no identity, and
// is appended each time.
func repeatable(method string) bool {
	if method == "EnsureMetric" {
		return false
	}
	for _, prefix := range []string{"Ensure", "Set", "Default", "Clear"} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// FuzzEveryMethod calls each method of each editor with a text in all its arguments, on any object: no panic, and to ensure
// or set something twice is to do it once.
func FuzzEveryMethod(f *testing.F) {
	for _, content := range []string{
		`{}`, `{"Meta":{"labels":{"a":"b"}},"Container":{"env":[{"name":"a"},{"name":"a"}],"args":["a","a=a","a=b","a"],"ports":[{"name":"a"},{}]}}`,
		`{"Pod":{"volumes":[{"name":"a"}],"tolerations":[{"key":"a"}]},"Service":{"ports":[{"name":"a"},{"port":1},{"port":1,"protocol":"TCP"}]}}`,
		`{"HPA":{"metrics":[{"type":"Object"},{"type":"a"},{"type":"Resource","resource":{"name":"a"}}]},"Rules":[{},{}],"Subjects":[{"name":"a"}]}`,
		`{"Ingress":{"rules":[{"host":"a"},{}],"tls":[{},{"hosts":["b","a"]},{"hosts":["a"]}]},"ConfigMap":{"data":{"a":"{"}},"Secret":{"data":{"a":""}}}`,
	} {
		f.Add([]byte(content), "a")
		f.Add([]byte(content), "")
	}
	f.Fuzz(func(t *testing.T, encoded []byte, text string) {
		if json.Unmarshal(encoded, &everySpec{}) != nil {
			return
		}
		parse := func() (*everySpec, []any) {
			spec := &everySpec{}
			require.NoError(t, json.Unmarshal(encoded, spec))
			all := spec.editors()
			return spec, all
		}
		_, all := parse()
		for i, editor := range all {
			value := reflect.ValueOf(editor)
			for m := range value.NumMethod() {
				method := func(of []any) reflect.Value { return reflect.ValueOf(of[i]).Method(m) }
				arguments := filltest.Arguments(method(all), text)
				once, first := parse()
				filltest.Call(method(first), arguments)
				if !repeatable(value.Type().Method(m).Name) {
					continue
				}
				twice, second := parse()
				filltest.Call(method(second), arguments)
				filltest.Call(method(second), arguments)
				require.Equal(t, once, twice, "%T.%s", editor, value.Type().Method(m).Name)
			}
		}
	})
}
