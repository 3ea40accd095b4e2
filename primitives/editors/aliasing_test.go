package editors_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
)

// everyEditor returns an editor of each type, of nothing, except for content without a Go type.
func everyEditor() []any {
	return []any{
		editors.NewObjectMetaEditor(&metav1.ObjectMeta{}), editors.NewContainerEditor(&corev1.Container{}),
		editors.NewPodSpecEditor(&corev1.PodSpec{}), editors.NewDeploymentSpecEditor(&appsv1.DeploymentSpec{}),
		editors.NewStatefulSetSpecEditor(&appsv1.StatefulSetSpec{}), editors.NewDaemonSetSpecEditor(&appsv1.DaemonSetSpec{}),
		editors.NewReplicaSetSpecEditor(&appsv1.ReplicaSetSpec{}), editors.NewJobSpecEditor(&batchv1.JobSpec{}),
		editors.NewCronJobSpecEditor(&batchv1.CronJobSpec{}), editors.NewServiceSpecEditor(&corev1.ServiceSpec{}),
		editors.NewIngressSpecEditor(&networkingv1.IngressSpec{}), editors.NewNetworkPolicySpecEditor(&networkingv1.NetworkPolicySpec{}),
		editors.NewHPASpecEditor(&autoscalingv2.HorizontalPodAutoscalerSpec{}),
		editors.NewPodDisruptionBudgetSpecEditor(&policyv1.PodDisruptionBudgetSpec{}),
		editors.NewPVCSpecEditor(&corev1.PersistentVolumeClaimSpec{}), editors.NewPVSpecEditor(&corev1.PersistentVolumeSpec{}),
		editors.NewConfigMapDataEditor(nil, nil), editors.NewSecretDataEditor(nil, nil),
		editors.NewPolicyRulesEditor(nil), editors.NewBindingSubjectsEditor(nil),
	}
}

// TestWhatTheCallerGivesIsCopied calls every method of every editor, then writes all over the arguments.
func TestWhatTheCallerGivesIsCopied(t *testing.T) {
	for _, editor := range everyEditor() {
		value := reflect.ValueOf(editor)
		for i := range value.NumMethod() {
			name := value.Type().Method(i).Name
			if strings.HasPrefix(name, "Raw") {
				continue
			}
			t.Run(value.Elem().Type().Name()+"."+name, func(t *testing.T) {
				var arguments []reflect.Value
				for argument := range value.Method(i).Type().Ins() {
					filled := reflect.New(argument).Elem()
					fill(filled, 0)
					arguments = append(arguments, filled)
				}
				call(value.Method(i), arguments)
				before := contentOf(t, value)
				for _, argument := range arguments {
					scramble(argument)
				}
				assert.JSONEq(t, before, contentOf(t, value))
			})
		}
	}
}

func call(method reflect.Value, arguments []reflect.Value) {
	if method.Type().IsVariadic() {
		method.CallSlice(arguments)
		return
	}
	method.Call(arguments)
}

// contentOf returns what all methods Raw of the editor return.
func contentOf(t *testing.T, editor reflect.Value) string {
	t.Helper()
	content := map[string]any{}
	for i := range editor.NumMethod() {
		if name := editor.Type().Method(i).Name; strings.HasPrefix(name, "Raw") {
			content[name] = editor.Method(i).Call(nil)[0].Interface()
		}
	}
	encoded, err := json.Marshal(content)
	require.NoError(t, err)
	return string(encoded)
}

// fill puts something into every field, list and map that the value reaches.
func fill(value reflect.Value, depth int) {
	if !value.CanSet() || depth > 8 {
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString("a")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(1)
	case reflect.Uint8:
		value.SetUint('a')
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), depth+1)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0), depth+1)
	case reflect.Map:
		key, item := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(item, depth+1)
		value.Set(reflect.MakeMap(value.Type()))
		value.SetMapIndex(key, item)
	case reflect.Struct:
		for _, field := range value.Fields() {
			fill(field, depth+1)
		}
	default:
	}
}

// scramble writes to all memory that the value leads to.
func scramble(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			scramble(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			scramble(value.Index(i))
		}
	case reflect.Map:
		value.Clear()
	case reflect.Struct:
		for _, field := range value.Fields() {
			scramble(field)
		}
	case reflect.String:
		if value.CanSet() {
			value.SetString("changed")
		}
	case reflect.Bool:
		if value.CanSet() {
			value.SetBool(false)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if value.CanSet() {
			value.SetInt(0)
		}
	case reflect.Uint8:
		if value.CanSet() {
			value.SetUint('z')
		}
	default:
	}
}

// TestAliasingWouldBeSeen makes sure that a value which is kept as it was given does not go unnoticed.
func TestAliasingWouldBeSeen(t *testing.T) {
	given := corev1.Container{}
	fill(reflect.ValueOf(&given).Elem(), 0)
	kept := given
	before, err := json.Marshal(kept)
	require.NoError(t, err)
	scramble(reflect.ValueOf(&given).Elem())
	after, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.NotEqual(t, string(before), string(after))
}
