package editors_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
)

// edited is all that the keyed editors edit.
type edited struct {
	Meta      metav1.ObjectMeta
	Container corev1.Container
	Pod       corev1.PodSpec
	Service   corev1.ServiceSpec
	Ingress   networkingv1.IngressSpec
	ConfigMap corev1.ConfigMap
	Secret    corev1.Secret
	Subjects  []rbacv1.Subject
	HPA       autoscalingv2.HorizontalPodAutoscalerSpec
}

// keyed is an edit that puts something under a name, and the one that removes it.
type keyed struct {
	ensure, remove func(o *edited, name, value string)
}

func keyedEdits() map[string]keyed {
	container := func(edit func(e *editors.ContainerEditor, name, value string)) func(*edited, string, string) {
		return func(o *edited, name, value string) { edit(editors.NewContainerEditor(&o.Container), name, value) }
	}
	pod := func(edit func(e *editors.PodSpecEditor, name, value string)) func(*edited, string, string) {
		return func(o *edited, name, value string) { edit(editors.NewPodSpecEditor(&o.Pod), name, value) }
	}
	return map[string]keyed{
		"label": {
			func(o *edited, name, value string) { editors.NewObjectMetaEditor(&o.Meta).EnsureLabel(name, value) },
			func(o *edited, name, _ string) { editors.NewObjectMetaEditor(&o.Meta).RemoveLabel(name) },
		},
		"env": {
			container(func(e *editors.ContainerEditor, name, value string) {
				e.EnsureEnvVar(corev1.EnvVar{Name: name, Value: value})
			}),
			container(func(e *editors.ContainerEditor, name, _ string) { e.RemoveEnvVar(name) }),
		},
		"arg": {
			container(func(e *editors.ContainerEditor, name, _ string) { e.EnsureArg(name) }),
			container(func(e *editors.ContainerEditor, name, _ string) { e.RemoveArg(name) }),
		},
		"port of a container": {
			container(func(e *editors.ContainerEditor, name, _ string) { e.EnsurePort(corev1.ContainerPort{Name: "p" + name}) }),
			container(func(e *editors.ContainerEditor, name, _ string) { e.RemovePort("p" + name) }),
		},
		"mount": {
			container(func(e *editors.ContainerEditor, name, value string) {
				e.EnsureVolumeMount(corev1.VolumeMount{Name: value, MountPath: name})
			}),
			container(func(e *editors.ContainerEditor, name, _ string) { e.RemoveVolumeMount(name) }),
		},
		"volume": {
			pod(func(e *editors.PodSpecEditor, name, _ string) { e.EnsureVolume(corev1.Volume{Name: name}) }),
			pod(func(e *editors.PodSpecEditor, name, _ string) { e.RemoveVolume(name) }),
		},
		"pull secret": {
			pod(func(e *editors.PodSpecEditor, name, _ string) { e.EnsureImagePullSecret(name) }),
			pod(func(e *editors.PodSpecEditor, name, _ string) { e.RemoveImagePullSecret(name) }),
		},
		"node selector": {
			pod(func(e *editors.PodSpecEditor, name, value string) { e.EnsureNodeSelector(name, value) }),
			pod(func(e *editors.PodSpecEditor, name, _ string) { e.RemoveNodeSelector(name) }),
		},
		"port of a service": {
			func(o *edited, name, _ string) {
				editors.NewServiceSpecEditor(&o.Service).EnsurePort(corev1.ServicePort{Name: "p" + name})
			},
			func(o *edited, name, _ string) { editors.NewServiceSpecEditor(&o.Service).RemovePort("p" + name) },
		},
		"rule": {
			func(o *edited, name, _ string) {
				editors.NewIngressSpecEditor(&o.Ingress).EnsureRule(networkingv1.IngressRule{Host: name})
			},
			func(o *edited, name, _ string) { editors.NewIngressSpecEditor(&o.Ingress).RemoveRule(name) },
		},
		"TLS": {
			func(o *edited, name, value string) {
				editors.NewIngressSpecEditor(&o.Ingress).EnsureTLS(networkingv1.IngressTLS{SecretName: value, Hosts: []string{name}})
			},
			func(o *edited, name, _ string) { editors.NewIngressSpecEditor(&o.Ingress).RemoveTLS(name) },
		},
		"entry": {
			func(o *edited, name, value string) {
				editors.NewConfigMapDataEditor(&o.ConfigMap.Data, nil).Set(name, value)
			},
			func(o *edited, name, _ string) { editors.NewConfigMapDataEditor(&o.ConfigMap.Data, nil).Remove(name) },
		},
		"secret entry": {
			func(o *edited, name, value string) {
				editors.NewSecretDataEditor(&o.Secret.Data, nil).Set(name, []byte(value))
			},
			func(o *edited, name, _ string) { editors.NewSecretDataEditor(&o.Secret.Data, nil).Remove(name) },
		},
		"subject": {
			func(o *edited, name, value string) {
				editors.NewBindingSubjectsEditor(&o.Subjects).EnsureServiceAccount(name, value)
			},
			func(o *edited, name, value string) {
				editors.NewBindingSubjectsEditor(&o.Subjects).RemoveServiceAccount(name, value)
			},
		},
	}
}

// FuzzKeyedEditors edits any object: no panic, to ensure something twice is to ensure it once, and to remove it leaves what
// there would be without it.
func FuzzKeyedEditors(f *testing.F) {
	for _, content := range []string{
		`{}`, `{"Container":{"env":[{"name":"a"},{"name":"a"}],"args":["a","b","a"],"ports":[{"name":"pa"}],"volumeMounts":[{"mountPath":"a"}]}}`,
		`{"Meta":{"labels":{"a":"b"}},"Pod":{"volumes":[{"name":"a"}],"imagePullSecrets":[{"name":"b"}],"nodeSelector":{"a":"b"}}}`,
		`{"Service":{"ports":[{"name":"pa"},{"name":"pb"}]},"Ingress":{"rules":[{"host":"a"},{"host":"a"}],"tls":[{"hosts":["b","a"]},{"hosts":[]}]}}`,
		`{"Pod":{"tolerations":[{"key":"a","value":"b"}],"topologySpreadConstraints":[{"topologyKey":"a","whenUnsatisfiable":"b"},{"topologyKey":"a"}]}}`,
		`{"Container":{"envFrom":[{"prefix":"b","secretRef":{"name":"a"}},{"configMapRef":{"name":"a"}}]},"Service":{"selector":{"a":"b"}}}`,
		`{"HPA":{"metrics":[{"type":"Resource"},{"type":"Resource","resource":{"name":"a"}},{"type":"Pods","pods":{"metric":{"name":"a"}}}]}}`,
		`{"ConfigMap":{"data":{}},"Secret":{"data":{"a":""}},"Subjects":[{"kind":"ServiceAccount","name":"a","namespace":"b"}]}`,
	} {
		for _, name := range []string{"a", "b", ""} {
			f.Add([]byte(content), name, "b")
		}
	}
	edits := keyedEdits()
	maps.Copy(edits, selectingEdits())
	f.Fuzz(func(t *testing.T, encoded []byte, name, value string) {
		parse := func() *edited {
			o := &edited{}
			if json.Unmarshal(encoded, o) != nil {
				return nil
			}
			return o
		}
		if parse() == nil {
			return
		}
		for what, edit := range edits {
			once, twice, never := parse(), parse(), parse()
			edit.ensure(once, name, value)
			edit.ensure(twice, name, value)
			edit.ensure(twice, name, value)
			require.Equal(t, once, twice, what)
			edit.remove(once, name, value)
			edit.remove(never, name, value)
			require.True(t, equality.Semantic.DeepEqual(once, never), "%s: %v is not %v", what, once, never)
		}
	})
}

// FuzzMergeYAML merges any texts: no panic, an error changes nothing, and to merge twice is to merge once.
func FuzzMergeYAML(f *testing.F) {
	for _, text := range []string{"", "a: 1", "a: {b: [1, 2]}", "- 1\n- 2", "null", "a: 1\n---\nb: 2", "&a [*a]", "? [x]\n: y", "9007199254740993", "1e400"} {
		f.Add(text, "a: {c: 2}")
		f.Add("a: {c: 2}", text)
	}
	f.Fuzz(func(t *testing.T, existing, patch string) {
		data := map[string]string{"key": existing}
		editor := editors.NewConfigMapDataEditor(&data, nil)
		if editor.MergeYAML("key", patch) != nil {
			require.Equal(t, existing, data["key"])
			return
		}
		once := data["key"]
		require.NoError(t, editor.MergeYAML("key", patch))
		require.Equal(t, once, data["key"])
	})
}
