package v1

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Rollout has the operator change the copies one after the other. A copy that is missing, or that somebody else has changed, does not wait,
// once every target has had a copy. Deletions never wait.
//
// +kubebuilder:validation:XValidation:rule="!has(self.progressDeadlineSeconds) || (has(self.until) && self.until == 'Healthy')",reason=FieldValueForbidden,fieldPath=.progressDeadlineSeconds,message="progressDeadlineSeconds is how long a changed copy may take to be healthy: set until to Healthy, or remove it"
type Rollout struct {
	// waves are changed one after the other. A namespace belongs to the first wave that selects it. Those that no wave selects come last. Within
	// a wave, the order is alphabetical.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Waves []Wave `json:"waves,omitempty"`

	// maxUnavailable is how many copies of a wave may be unavailable at a time, as a number, or as a percentage of the wave, rounded down. A copy
	// is unavailable while it is written, until minReadySeconds have passed, and with until: Healthy until it is healthy. It is at least one.
	// Defaults to 100%.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 100000 : self.matches('^(100|[0-9]{1,2})%$')",reason=FieldValueInvalid,message="write a number of copies from 0 to 100000, without quotes, or a percentage from 0% to 100%"
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`

	// minReadySeconds is how long a copy has to keep its content after a change before it counts as ready. Defaults to 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`

	// until is what a changed copy has to be before the next ones are changed. "Written": the API server has accepted it. "Healthy": its status
	// says that it works, too, as kubectl rollout status and Flux read it. A copy without a status is healthy once it is written. Defaults to
	// Written.
	// +optional
	// +kubebuilder:validation:Enum=Written;Healthy
	Until RolloutUntil `json:"until,omitempty"`

	// progressDeadlineSeconds is how long a changed copy may take to be healthy, with until: Healthy. After that, it counts as failed. Defaults to
	// 600.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// maxFailures is how many copies of a wave may fail before the rollout is held, as a number, or as a percentage of the
	// wave, rounded down. Defaults to 0.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=10
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 100000 : self.matches('^(100|[0-9]{1,2})%$')",reason=FieldValueInvalid,message="write a number of copies from 0 to 100000, without quotes, or a percentage from 0% to 100%"
	MaxFailures *intstr.IntOrString `json:"maxFailures,omitempty"`
}

// RolloutUntil is what a changed copy has to be before the next ones are changed.
type RolloutUntil string

// What a changed copy has to be.
const (
	RolloutUntilWritten RolloutUntil = "Written"
	RolloutUntilHealthy RolloutUntil = "Healthy"
)

// defaultProgressDeadline is how long a changed copy may take to be healthy if the rule does not say it.
const defaultProgressDeadline = 10 * time.Minute

// Wave is a part of the target namespaces.
type Wave struct {
	// namespaceSelector selects the namespaces of the wave by their labels, among the target namespaces.
	// +required
	NamespaceSelector WaveSelector `json:"namespaceSelector"`

	// minReadySeconds of this wave, in place of that of the rollout.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
}

// WaveSelector is a standard label selector, as NamespaceSelector is, with smaller limits.
//
// +kubebuilder:object:generate=false
type WaveSelector struct {
	// matchLabels selects namespaces that have all of these labels with these values.
	// +optional
	// +kubebuilder:validation:MaxProperties=10
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",reason=FieldValueInvalid,message="not every key can be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",messageExpression="self.map(k, format.qualifiedName().validate(k).hasValue(), '\"' + k + '\" cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case')[0]"
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// matchExpressions selects namespaces whose labels meet all of these requirements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	MatchExpressions []WaveSelectorRequirement `json:"matchExpressions,omitempty"`
}

// WaveSelectorRequirement relates the label with a key to a set of values.
//
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",reason=FieldValueRequired,fieldPath=.values,message="the operators In and NotIn compare with values: list at least one, or use Exists or DoesNotExist"
// +kubebuilder:validation:XValidation:rule="!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",reason=FieldValueForbidden,fieldPath=.values,message="the operators Exists and DoesNotExist ask for the key alone: remove values, or use In or NotIn"
type WaveSelectorRequirement struct {
	// key of the label that the requirement is about.
	// +required
	// +kubebuilder:validation:MaxLength=317
	// +kubebuilder:validation:XValidation:rule="!format.qualifiedName().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case"
	Key string `json:"key"`

	// operator relates the label to the values, as in destination.namespaceSelector.
	// +required
	// +kubebuilder:validation:Enum=In;NotIn;Exists;DoesNotExist
	Operator metav1.LabelSelectorOperator `json:"operator"`

	// values for In and NotIn. Must be empty for Exists and DoesNotExist.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Values []LabelValue `json:"values,omitempty"`
}

// LabelSelector converts the selector to the type of the Kubernetes libraries.
func (s *WaveSelector) LabelSelector() *metav1.LabelSelector {
	return labelSelector(s.MatchLabels, s.MatchExpressions)
}

// DeepCopyInto copies the selector into out.
func (s *WaveSelector) DeepCopyInto(out *WaveSelector) {
	out.MatchLabels, out.MatchExpressions = maps.Clone(s.MatchLabels), cloneRequirements(s.MatchExpressions)
}

// MinReady returns how long a changed copy of the wave has to keep its content before it is ready. Waves count from 0; what no wave selects
// has the number behind the last.
func (r *Rollout) MinReady(wave int) time.Duration {
	seconds := r.MinReadySeconds
	if wave < len(r.Waves) && r.Waves[wave].MinReadySeconds != nil {
		seconds = *r.Waves[wave].MinReadySeconds
	}
	return time.Duration(seconds) * time.Second
}

// Deadline returns how long a changed copy may take to be healthy; zero: copies need not be healthy.
func (r *Rollout) Deadline() time.Duration {
	switch {
	case r.Until != RolloutUntilHealthy:
		return 0
	case r.ProgressDeadlineSeconds == nil:
		return defaultProgressDeadline
	default:
		return time.Duration(*r.ProgressDeadlineSeconds) * time.Second
	}
}

// RolloutStatus reports how far the present change of a rule with a rollout has come.
type RolloutStatus struct {
	// introduced reports whether every target has had a copy. From then on, a missing copy is created at once.
	// +optional
	Introduced bool `json:"introduced,omitempty"`

	// wave is the number of the wave whose copies are changed, from 1. One more than there are waves stands for the namespaces that no wave
	// selects. It is absent if no copy waits, nor has to become healthy.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Wave int32 `json:"wave,omitempty"`
}
