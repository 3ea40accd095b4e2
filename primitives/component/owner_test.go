package component_test

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/component"
)

// App is the namespaced owner of the tests.
type App struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   AppSpec   `json:"spec,omitzero"`
	Status AppStatus `json:"status,omitzero"`
}

type AppSpec struct {
	Note string `json:"note,omitempty"`
}

type AppStatus struct {
	Note       string             `json:"note,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

var _ component.OperatorCRD = (*App)(nil)

func (a *App) GetStatusConditions() *[]metav1.Condition { return &a.Status.Conditions }

func (a *App) GetKind() string { return "App" }

func (a *App) DeepCopyObject() runtime.Object {
	out := *a
	a.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = append([]metav1.Condition(nil), a.Status.Conditions...)
	return &out
}

// ClusterApp is the cluster-scoped owner of the tests.
type ClusterApp struct{ App }

func (a *ClusterApp) GetKind() string { return "ClusterApp" }

func (a *ClusterApp) DeepCopyObject() runtime.Object {
	return &ClusterApp{App: *a.App.DeepCopyObject().(*App)}
}

func addOwners(scheme *runtime.Scheme) {
	group := schema.GroupVersion{Group: "kit.example.com", Version: "v1"}
	scheme.AddKnownTypes(group, &App{}, &ClusterApp{})
	metav1.AddToGroupVersion(scheme, group)
}
