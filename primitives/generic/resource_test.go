package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

func build(t testing.TB, b *generic.StaticBuilder[*corev1.ConfigMap, *mutator]) *generic.StaticResource[*corev1.ConfigMap, *mutator] {
	t.Helper()
	resource, err := b.Build()
	require.NoError(t, err)
	return resource
}

func TestObjectIsACopyAndMutateKeepsWhatItGets(t *testing.T) {
	resource := build(t, staticBuilder().WithMutation(says("a")))
	assert.Equal(t, "v1/ConfigMap/ns/one", resource.Identity())
	object, err := resource.Object()
	require.NoError(t, err)
	assert.Equal(t, baseline(), object)
	assert.NotSame(t, resource.DesiredObject, object)

	require.NoError(t, resource.Mutate(object))

	assert.Same(t, object, resource.DesiredObject)
	assert.Equal(t, "a|", resource.DesiredObject.Data["log"])
}

func TestFailedMutateKeepsTheDesiredObject(t *testing.T) {
	resource := build(t, staticBuilder())
	before := resource.DesiredObject
	require.Error(t, resource.Mutate(&corev1.Secret{}))
	assert.Same(t, before, resource.DesiredObject)
}

func TestSuspensionIsForTheNextMutateOnly(t *testing.T) {
	b := staticBuilder().WithMutation(says("a"))
	b.WithCustomSuspendMutation(func(m *mutator) error { m.say("suspended"); return nil })
	resource := build(t, b)
	require.NoError(t, resource.Suspend())

	preview, err := resource.PreviewObject()
	require.NoError(t, err)
	assert.Equal(t, "a|", preview.Data["log"], "a preview shows no suspension")

	first := baseline()
	require.NoError(t, resource.Mutate(first))
	assert.Equal(t, "a|suspended", first.Data["log"])
	second := baseline()
	require.NoError(t, resource.Mutate(second))
	assert.Equal(t, "a|", second.Data["log"])
}

func TestSuspensionDefaults(t *testing.T) {
	resource := build(t, staticBuilder())
	assert.False(t, resource.DeleteOnSuspend())
	require.NoError(t, resource.Suspend())
	object := baseline()
	require.NoError(t, resource.Mutate(object))
	assert.Equal(t, baseline(), object)
	status, err := resource.SuspensionStatus()
	require.NoError(t, err)
	assert.Equal(t, concepts.SuspensionStatusWithReason{
		Status: concepts.SuspensionStatusSuspended, Reason: "default suspension status",
	}, status)
}

func TestSuspensionHandlers(t *testing.T) {
	pending := concepts.SuspensionStatusWithReason{Status: concepts.SuspensionStatusPending}
	resource := build(t, staticBuilder().
		WithCustomSuspendDeletionDecision(func(o *corev1.ConfigMap) bool { return o.Name == "one" }).
		WithCustomSuspendStatus(func(*corev1.ConfigMap) (concepts.SuspensionStatusWithReason, error) { return pending, errBoom }))
	assert.True(t, resource.DeleteOnSuspend())
	status, err := resource.SuspensionStatus()
	assert.Equal(t, pending, status)
	require.ErrorIs(t, err, errBoom)
}

func TestMissingSuspensionHandlers(t *testing.T) {
	resource := build(t, staticBuilder().
		WithCustomSuspendDeletionDecision(nil).WithCustomSuspendStatus(nil).WithCustomSuspendMutation(nil))
	assert.False(t, resource.DeleteOnSuspend())
	require.EqualError(t, resource.Suspend(), "suspend mutation handler is not configured")
	_, err := resource.SuspensionStatus()
	require.EqualError(t, err, "suspend status handler is not configured")
}

func TestGuard(t *testing.T) {
	blocks := func(o *corev1.ConfigMap) (concepts.GuardStatusWithReason, error) {
		o.Name = "changed"
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: "waiting"}, errBoom
	}
	resource := build(t, staticBuilder().WithGuard(blocks))
	status, err := resource.GuardStatus()
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: "waiting"}, status)
	assert.Equal(t, "one", resource.DesiredObject.Name, "a guard gets a copy")

	status, err = build(t, staticBuilder().WithGuard(blocks).WithGuard(nil)).GuardStatus()
	require.NoError(t, err)
	assert.Equal(t, concepts.GuardStatusUnblocked, status.Status)
}

func TestExtractorsRunInOrderOnCopies(t *testing.T) {
	var seen []string
	note := func(word string, err error) func(*corev1.ConfigMap) error {
		return func(o *corev1.ConfigMap) error {
			seen = append(seen, word+" "+o.Name)
			o.Name = "changed"
			return err
		}
	}
	resource := build(t, staticBuilder().WithDataExtractor(note("a", nil)).WithDataExtractor(nil).
		WithDataExtractor(note("b", errBoom)).WithDataExtractor(note("c", nil)))
	require.ErrorIs(t, resource.ExtractData(), errBoom)
	assert.Equal(t, []string{"a one", "b one"}, seen)
}

func TestObservationBecomesTheObject(t *testing.T) {
	resource := build(t, staticBuilder())
	observed := baseline()
	require.NoError(t, resource.RecordObservation(observed))
	assert.Same(t, observed, resource.DesiredObject)
	require.EqualError(t, resource.RecordObservation(&corev1.Secret{}),
		"failed to record observation: expected object of type *v1.ConfigMap, got *v1.Secret")
}
