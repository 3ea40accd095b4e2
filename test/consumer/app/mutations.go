package app

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/selectors"
	"projection.sh/operator/primitives/service"
	"projection.sh/operator/primitives/unstructured"
)

const (
	// legacyPort is what versions before 2.0.0 call their port.
	legacyPort = "web"

	tracingImage = "registry.example.com/tracing:1.4"

	// checksumAnnotation has a new value when the configuration changes, which restarts the pods.
	checksumAnnotation = "shop.example.com/config-checksum"
	// credentialsChecksum is the entry of the ConfigMap that changes when the credentials do.
	credentialsChecksum = "credentials-checksum"
)

// since and before are the two sides of a version of the product.
func since(w *v1.WebApp, version string) feature.Gate {
	return feature.NewVersionGate(w.Spec.Version, []feature.VersionConstraint{feature.MustConstraint(">= " + version)})
}

func before(w *v1.WebApp, version string) feature.Gate {
	return feature.NewVersionGate(w.Spec.Version, []feature.VersionConstraint{feature.MustConstraint("< " + version)})
}

// DeploymentMutations are the differences of the Deployment from its baseline. A later one wins over an earlier one, so what the
// user says comes last.
func DeploymentMutations(w *v1.WebApp, checksum *concepts.Data[string]) []deployment.Mutation {
	return []deployment.Mutation{
		deployment.LiftMutation(image(w)),
		replicas(w),
		configMount(w),
		tracingSidecar(w),
		jsonLogs(w),
		legacyWebPort(w),
		deployment.LiftMutation(AuthEnv(w)),
		extraEnv(w),
		configChecksum(checksum),
	}
}

// image and AuthEnv are for the pods of the Deployment and for those of the Job.
func image(w *v1.WebApp) feature.Mutation[primitives.WorkloadMutator] {
	return feature.Mutation[primitives.WorkloadMutator]{
		Name: "image",
		Mutate: func(m primitives.WorkloadMutator) error {
			m.EditContainers(ours, func(e *editors.ContainerEditor) error {
				e.SetImage(w.Spec.Image + ":" + w.Spec.Version)
				return nil
			})
			return nil
		},
	}
}

// ours selects the containers that run the product, and no sidecar.
var ours = selectors.ContainersNamed(webContainer, migrateContainer)

// AuthEnv gives the password to the containers that run the product, of whatever kind the workload is.
func AuthEnv(w *v1.WebApp) feature.Mutation[primitives.WorkloadMutator] {
	return feature.Mutation[primitives.WorkloadMutator]{
		Name:    "auth-env",
		Feature: feature.NewBooleanGate(w.Spec.CredentialsRef != nil),
		Mutate: func(m primitives.WorkloadMutator) error {
			m.EditContainers(ours, func(e *editors.ContainerEditor) error {
				e.EnsureEnvVar(corev1.EnvVar{Name: "PASSWORD", ValueFrom: &corev1.EnvVarSource{
					SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: *w.Spec.CredentialsRef, Key: "password"},
				}})
				return nil
			})
			return nil
		},
	}
}

// replicas is off with autoscaling: a field that is not sent belongs to the autoscaler.
func replicas(w *v1.WebApp) deployment.Mutation {
	return deployment.Mutation{
		Name:    "replicas",
		Feature: feature.NewBooleanGate(w.Spec.Autoscaling == nil),
		Mutate: func(m *deployment.Mutator) error {
			m.EnsureReplicas(replicasOf(w))
			return nil
		},
	}
}

func configMount(w *v1.WebApp) deployment.Mutation {
	return deployment.Mutation{
		Name: "config-mount",
		Mutate: func(m *deployment.Mutator) error {
			m.EditPodSpec(func(e *editors.PodSpecEditor) error {
				e.EnsureVolume(corev1.Volume{Name: configVolume, VolumeSource: corev1.VolumeSource{
					ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: configName(w)}},
				}})
				return nil
			})
			m.EditContainers(ours, func(e *editors.ContainerEditor) error {
				e.EnsureVolumeMount(corev1.VolumeMount{Name: configVolume, MountPath: configPath, ReadOnly: true})
				return nil
			})
			return nil
		},
	}
}

func tracingSidecar(w *v1.WebApp) deployment.Mutation {
	return deployment.Mutation{
		Name:    "tracing-sidecar",
		Feature: feature.NewBooleanGate(w.Spec.Tracing),
		Mutate: func(m *deployment.Mutator) error {
			m.EnsureContainer(corev1.Container{Name: tracingContainer, Image: tracingImage})
			m.EditContainers(selectors.ContainerNamed(tracingContainer), func(e *editors.ContainerEditor) error {
				e.EnsureFlag("--service", w.Name)
				return nil
			})
			return nil
		},
	}
}

func jsonLogs(w *v1.WebApp) deployment.Mutation {
	return deployment.Mutation{
		Name:    "json-logs",
		Feature: since(w, "2.0.0"),
		Mutate: func(m *deployment.Mutator) error {
			m.EditContainers(ours, func(e *editors.ContainerEditor) error {
				e.EnsureFlag("--log-format", "json")
				return nil
			})
			return nil
		},
	}
}

// legacyWebPort puts the port and the probe of versions before 2.0.0 back. legacyServicePort and legacyMonitorPort go with it.
func legacyWebPort(w *v1.WebApp) deployment.Mutation {
	return deployment.Mutation{
		Name:    "compat-v1-port",
		Feature: before(w, "2.0.0"),
		Mutate: func(m *deployment.Mutator) error {
			m.EditContainers(ours, func(e *editors.ContainerEditor) error {
				e.RemovePort(httpPort)
				e.EnsurePort(corev1.ContainerPort{Name: legacyPort, ContainerPort: 8000})
				e.SetReadinessProbe(probe("/healthz", legacyPort))
				return nil
			})
			return nil
		},
	}
}

func extraEnv(w *v1.WebApp) deployment.Mutation {
	return deployment.Mutation{
		Name:    "extra-env",
		Feature: feature.NewBooleanGate(len(w.Spec.ExtraEnv) > 0),
		Mutate: func(m *deployment.Mutator) error {
			m.EditContainers(ours, func(e *editors.ContainerEditor) error {
				e.EnsureEnvVars(w.Spec.ExtraEnv)
				return nil
			})
			return nil
		},
	}
}

func configChecksum(checksum *concepts.Data[string]) deployment.Mutation {
	return deployment.Mutation{
		Name: "checksum",
		Mutate: func(m *deployment.Mutator) error {
			value, known := checksum.Get()
			if !known { // in a preview, and while the app is suspended
				return nil
			}
			m.EditPodTemplateMetadata(func(e *editors.ObjectMetaEditor) error {
				e.EnsureAnnotation(checksumAnnotation, value)
				return nil
			})
			return nil
		},
	}
}

func legacyServicePort(w *v1.WebApp) service.Mutation {
	return service.Mutation{
		Name:    "compat-v1-service-port",
		Feature: before(w, "2.0.0"),
		Mutate: func(m *service.Mutator) error {
			m.EditServiceSpec(func(e *editors.ServiceSpecEditor) error {
				e.RemovePort(httpPort)
				e.EnsurePort(corev1.ServicePort{Name: legacyPort, Port: 80, TargetPort: intstr.FromString(legacyPort)})
				return nil
			})
			return nil
		},
	}
}

func legacyMonitorPort(w *v1.WebApp) unstructured.Mutation {
	return unstructured.Mutation{
		Name:    "compat-v1-monitor-port",
		Feature: before(w, "2.0.0"),
		Mutate: func(m *unstructured.Mutator) error {
			m.EditContent(func(e *editors.UnstructuredContentEditor) error {
				return e.SetNestedSlice([]any{map[string]any{"port": legacyPort}}, "spec", "endpoints")
			})
			return nil
		},
	}
}

// credentialsEntry lets the ConfigMap, and so the pods, change with the credentials.
func credentialsEntry(checksum *concepts.Data[string]) configmap.Mutation {
	return configmap.Mutation{
		Name: "credentials-checksum",
		Mutate: func(m *configmap.Mutator) error {
			if value, known := checksum.Get(); known {
				m.SetEntry(credentialsChecksum, value)
			}
			return nil
		},
	}
}
