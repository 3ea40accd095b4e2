package push

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

func debts(number int) (owed []v1alpha1.OwedCopies) {
	for i := range number {
		owed = append(owed, v1alpha1.OwedCopies{UID: strconv.Itoa(i), Rule: fmt.Sprintf("ClusterProjection/r%d", i), Kinds: []string{"Secret"}})
	}
	return owed
}

func kindNames(number int) (kinds []string) {
	for i := range number {
		kinds = append(kinds, fmt.Sprintf("K%03d", i))
	}
	return kinds
}

func TestWithDebt(t *testing.T) {
	tests := map[string]struct {
		owed       []v1alpha1.OwedCopies
		debt       v1alpha1.OwedCopies
		len, kinds int
		noted      bool
	}{
		"the first":             {nil, v1alpha1.OwedCopies{UID: "u", Rule: "ClusterProjection/r", Kinds: []string{"Secret"}}, 1, 1, true},
		"one more":              {debts(3), v1alpha1.OwedCopies{UID: "u", Rule: "ClusterProjection/r", Kinds: []string{"Secret"}}, 4, 1, true},
		"the same again":        {debts(3), v1alpha1.OwedCopies{UID: "2", Rule: "ClusterProjection/r2", Kinds: []string{"Secret"}}, 3, 1, true},
		"another kind":          {debts(3), v1alpha1.OwedCopies{UID: "2", Rule: "ClusterProjection/r2", Kinds: []string{"ConfigMap"}}, 3, 2, true},
		"the last":              {debts(maxOwed - 1), v1alpha1.OwedCopies{UID: "u", Rule: "ClusterProjection/r", Kinds: []string{"Secret"}}, maxOwed, 1, true},
		"no room":               {debts(maxOwed), v1alpha1.OwedCopies{UID: "u", Rule: "ClusterProjection/r", Kinds: []string{"Secret"}}, maxOwed, 1, false},
		"known, and no room":    {debts(maxOwed), v1alpha1.OwedCopies{UID: "255", Rule: "ClusterProjection/r255", Kinds: []string{"Secret"}}, maxOwed, 1, true},
		"in another cluster":    {debts(3), v1alpha1.OwedCopies{UID: "2", Identity: "i", Rule: "ClusterProjection/r2", Kinds: []string{"ConfigMap"}}, 3, 1, false},
		"too many kinds for it": {nil, v1alpha1.OwedCopies{UID: "u", Rule: "ClusterProjection/r", Kinds: kindNames(maxOwedKinds + 1)}, 1, maxOwedKinds, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := len(test.owed)
			with, noted := withDebt(test.owed, test.debt)
			assert.Equal(t, test.noted, noted)
			assert.Len(t, with, test.len)
			assert.Len(t, test.owed, before)
			for _, debt := range with {
				if debt.UID == test.debt.UID {
					assert.Len(t, debt.Kinds, test.kinds)
				}
			}
		})
	}
}

func TestWithoutDebts(t *testing.T) {
	owed := debts(3)
	remain, struck := withoutDebts(owed, map[string]string{"1": "", "9": ""})
	assert.Equal(t, []v1alpha1.OwedCopies{owed[0], owed[2]}, remain)
	assert.Equal(t, []v1alpha1.OwedCopies{owed[1]}, struck)
	assert.Len(t, owed, 3)
}

func TestCountCopies(t *testing.T) {
	copies, orphans := countCopies(map[types.NamespacedName]int{{Name: "r0"}: 2, {Name: "r1"}: 3, {Name: "r2"}: 5}, debts(2), map[string]bool{"r0": true})
	assert.EqualValues(t, 2, copies)
	assert.EqualValues(t, 5, orphans, "what is owed is no orphan")
}

func TestClustersAreTendedThatARuleUsesInAnotherWay(t *testing.T) {
	pushing := func(recorded, source string) *v1.ClusterProjection {
		rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1.AnnotationWrittenClusters: recorded}}}
		rule.Spec.Source.Cluster = source
		return rule
	}
	pulling := &v1.Projection{}
	pulling.Spec.Source.Cluster = "a"
	for name, test := range map[string]struct {
		before, after any
		tended        []string
	}{
		"a new rule":                         {after: pushing("b=1,a=2", "c"), tended: []string{"a", "b", "c"}},
		"nothing":                            {before: pushing("a=1", "b"), after: pushing("a=1", "b")},
		"a copy more":                        {before: pushing("a=1", "b"), after: pushing("a=1,c=2", "b"), tended: []string{"c"}},
		"no copies where the source is":      {before: pushing("a=1,b=2", "b"), after: pushing("a=1", "b"), tended: []string{"b"}},
		"another source, where copies are":   {before: pushing("a=1", "b"), after: pushing("a=1", "a"), tended: []string{"a", "b"}},
		"a Projection that is gone":          {before: toolscache.DeletedFinalStateUnknown{Obj: pulling}, tended: []string{"a"}},
		"a Projection without a cluster":     {after: &v1.Projection{}},
		"a ClusterProjection without copies": {after: pushing("", "")},
	} {
		c := &Clusters{tended: newTended()}
		c.ruleChanged(test.before, test.after)
		var tended []string
		for c.tended.Len() > 0 {
			cluster, _ := c.tended.Get()
			tended = append(tended, cluster)
		}
		assert.ElementsMatch(t, test.tended, tended, name)
	}
}

func TestWaitsFor(t *testing.T) {
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}}
	assert.Equal(t, "the RemoteCluster is being deleted, and waits until the copies of the ClusterProjection registry there are deleted",
		waitsFor(remote, []string{"registry"}, true))
	assert.Equal(t, "the RemoteCluster is being deleted, and waits until what status.owed lists is deleted", waitsFor(remote, nil, true))
	assert.Contains(t, waitsFor(remote, []string{"a", "b"}, false), "the copies of 2 rules there are deleted; nothing can be written there now; to end that: kubectl projection abandon clusterprojection/a --cluster eu-1")
	remote.Spec.Paused, remote.Spec.DeletionPolicy = true, v1alpha1.DeletionOrphan
	assert.Contains(t, waitsFor(remote, []string{"a", "b"}, false), "there are made ordinary objects; the RemoteCluster is paused; ")
}
