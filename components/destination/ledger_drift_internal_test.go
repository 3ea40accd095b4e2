package destination

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

func wakes(rules ...types.NamespacedName) []types.NamespacedName { return rules }

func TestWhatOthersDoToACopy(t *testing.T) {
	tests := map[string]struct {
		change func(*metav1.PartialObjectMetadata)
		woken  []types.NamespacedName
	}{
		"nothing": {func(*metav1.PartialObjectMetadata) {}, nil},
		"additions of another manager": {func(o *metav1.PartialObjectMetadata) {
			o.Labels["theirs"], o.Annotations["theirs"] = "1", "1"
			o.ManagedFields = append(o.ManagedFields, applied("somebody", otherSet))
		}, nil},
		"a finalizer":           {func(o *metav1.PartialObjectMetadata) { o.Finalizers = []string{"theirs"} }, nil},
		"a new generation":      {func(o *metav1.PartialObjectMetadata) { o.Generation = 7 }, nil},
		"the time of our entry": {func(o *metav1.PartialObjectMetadata) { o.ManagedFields[0].Time = &metav1.Time{} }, nil},
		"a field of ours":       {drifted, wakes(mine)},
		"all of our fields":     {func(o *metav1.PartialObjectMetadata) { o.ManagedFields = nil }, wakes(mine)},
		"the content hash":      {func(o *metav1.PartialObjectMetadata) { o.Annotations["projection.sh/content-hash"] = "x" }, wakes(mine)},
		"a hand-over":           {handedOver, wakes(mine)},
		"another owner":         {ownedBy(theirs), wakes(mine, theirs)},
		"an end that is near":   {terminating, wakes(mine)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			b.write(mine, copied("10"))
			require.NoError(t, b.Update(copied("11", test.change)))
			assert.Equal(t, test.woken, b.wakes())
			inStep := b.SetDesired(at, mine, wanted, 0)
			assert.Equal(t, test.woken == nil, inStep, "it is in step as long as nobody is woken")
		})
	}
}

func TestEveryFurtherDriftWakes(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	require.NoError(t, b.Update(copied("11", drifted)))
	require.NoError(t, b.Update(copied("12", drifted)))
	assert.Equal(t, wakes(mine, mine), b.wakes())
	require.NoError(t, b.Update(copied("13")))
	assert.Empty(t, b.wakes(), "somebody put it right")
	assert.True(t, b.SetDesired(at, mine, wanted, 0))
}

func TestCopyThatVanishes(t *testing.T) {
	tests := map[string]func(*book) error{
		"deleted":                    func(b *book) error { return b.Delete(copied("11")) },
		"its label was removed":      func(b *book) error { return b.Delete(copied("11")) },
		"missing when listed afresh": func(b *book) error { return b.Replace(nil, "11") },
	}
	for name, vanish := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBook()
			require.NoError(t, b.Replace(nil, "1"))
			b.write(mine, copied("10"))
			require.NoError(t, vanish(b))
			assert.Equal(t, wakes(mine), b.wakes())
			assert.Empty(t, b.ByOwner(mine))
			assert.False(t, b.SetDesired(at, mine, wanted, 0))
			assert.Equal(t, State{ResourceVersion: "11"}, b.BeginWrite(at, mine, wanted), "the next write creates")
		})
	}
}

func TestStaleNewsAreIgnored(t *testing.T) {
	b := newBook()
	require.NoError(t, b.Replace(nil, "1"))
	b.write(mine, copied("10"))
	require.NoError(t, b.Update(copied("9", drifted)))
	require.NoError(t, b.Delete(copied("9")))
	require.NoError(t, b.Replace(nil, "9"))
	require.NoError(t, b.Replace([]any{copied("9", drifted)}, "9"))
	require.NoError(t, b.Update(copied("10", drifted)))
	assert.Empty(t, b.wakes())
	assert.True(t, b.SetDesired(at, mine, wanted, 0))
}

func TestTerminatingCopyIsNotWrittenOn(t *testing.T) {
	b := newBook()
	require.NoError(t, b.Add(copied("10", terminating)))
	b.wakes()
	assert.False(t, b.SetDesired(at, mine, wanted, ours))
	assert.False(t, b.BeginWrite(at, mine, wanted).Exists())
	b.Abort(at, mine)
	require.NoError(t, b.Delete(copied("11")))
	assert.Equal(t, wakes(mine), b.wakes(), "its end is waited for")
}

func TestHandedOverCopyIsToldByItsLabel(t *testing.T) {
	b := newBook()
	b.write(mine, copied("10"))
	assert.Empty(t, b.Released(ourUID))
	require.NoError(t, b.Update(copied("11", handedOver)))
	assert.Empty(t, b.ByOwner(mine))
	require.Len(t, b.Released(ourUID), 1)
	assert.Equal(t, at, b.Released(ourUID)[0].NamespacedName)
	assert.Empty(t, b.Released("another"))
	b.wakes()

	assert.False(t, b.BeginWrite(at, mine, wanted).Exists(), "it is not written on")
	b.Abort(at, mine)
	require.NoError(t, b.Update(copied("12", handedOver)))
	assert.Empty(t, b.wakes(), "it is not waited for any more")
	require.NoError(t, b.Update(copied("13")))
	require.Len(t, b.ByOwner(mine), 1, "it was given back")
}

func TestCopyOfAnotherNamespacesRuleIsNobodys(t *testing.T) {
	b := newBook()
	elsewhere := types.NamespacedName{Namespace: "elsewhere", Name: "rule"}
	require.NoError(t, b.Replace(nil, "1"))
	require.NoError(t, b.Add(copied("10", ownedBy(elsewhere))))
	assert.Empty(t, b.wakes())
	assert.Empty(t, b.ByOwner(elsewhere))
}

func TestLedgerTakesObjectsOnly(t *testing.T) {
	b := newBook()
	require.ErrorContains(t, b.Add("text"), "string")
	require.ErrorContains(t, b.Replace([]any{"text"}, "1"), "string")
	require.NoError(t, b.Resync())
	assert.Equal(t, owner.Projection, b.kind)
}
