package generic_test

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
)

var errBoom = errors.New("boom")

// mutator appends words to the key "log" of a ConfigMap when it is applied. A new feature begins with a bar.
type mutator struct {
	object *corev1.ConfigMap
	words  []string
	err    error
}

var _ generic.FeatureMutator = (*mutator)(nil)

func newMutator(object *corev1.ConfigMap) *mutator { return &mutator{object: object} }

func (m *mutator) say(word string) { m.words = append(m.words, word) }

func (m *mutator) NextFeature() { m.say("|") }

func (m *mutator) Apply() error {
	for _, word := range m.words {
		if m.object.Data == nil {
			m.object.Data = map[string]string{}
		}
		m.object.Data["log"] += word
	}
	return m.err
}

func identity(object *corev1.ConfigMap) string {
	return "v1/ConfigMap/" + object.Namespace + "/" + object.Name
}

func baseline() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: "ns"}}
}

func staticBuilder() *generic.StaticBuilder[*corev1.ConfigMap, *mutator] {
	return generic.NewStaticBuilder(baseline(), identity, newMutator)
}

// says returns a mutation that says its name.
func says(name string) generic.Mutation[*mutator] {
	return generic.Mutation[*mutator]{Name: name, Mutate: func(m *mutator) error { m.say(name); return nil }}
}

func off(m generic.Mutation[*mutator]) generic.Mutation[*mutator] {
	m.Feature = feature.NewBooleanGate(false)
	return m
}

type brokenGate struct{}

func (brokenGate) Enabled() (bool, error) { return false, errBoom }
