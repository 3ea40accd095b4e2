package memory_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/watch"
)

func TestEachRuleHasItsOwnMemoryUntilItIsDropped(t *testing.T) {
	store, rule, other := memory.NewStore(), types.NamespacedName{Name: "rule"}, types.NamespacedName{Name: "other"}
	store.Do(rule, func(r *memory.Rule) { r.Copies.InSync = 3 })
	store.Do(other, func(r *memory.Rule) { assert.Zero(t, r.Copies) })
	assert.Equal(t, 3, store.Drop(rule).Copies.InSync)
	assert.Zero(t, store.Drop(rule))
	assert.Equal(t, 1, store.Len())
}

func TestManyUseTheStoreAtOnce(t *testing.T) {
	store := memory.NewStore()
	var users sync.WaitGroup
	for i := range 16 {
		users.Go(func() {
			rule := types.NamespacedName{Name: strconv.Itoa(i % 4)}
			for range 100 {
				store.Do(rule, func(r *memory.Rule) { r.Triggers.Add(memory.Triggers{watch.SourceChanged: now}) })
				var taken memory.Triggers
				store.Do(rule, func(r *memory.Rule) { taken = r.Triggers.Take() })
				store.Do(rule, func(r *memory.Rule) { r.Triggers.Add(taken) })
			}
		})
	}
	users.Wait()
	for i := range 4 {
		taken := store.Drop(types.NamespacedName{Name: strconv.Itoa(i)}).Triggers
		assert.Equal(t, memory.Triggers{watch.SourceChanged: now}, taken)
	}
}
