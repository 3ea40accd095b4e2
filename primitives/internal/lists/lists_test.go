package lists_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/primitives/internal/lists"
)

func same(value string) func(string) bool {
	return func(other string) bool { return other[0] == value[0] }
}

func TestLists(t *testing.T) {
	var list []string
	lists.Ensure(&list, "a1", same("a"))
	lists.Ensure(&list, "b1", same("b"))
	lists.Ensure(&list, "a2", same("a"))
	assert.Equal(t, []string{"a2", "b1"}, list, "replaced where it was")
	lists.EnsureAbsent(&list, "a3", same("a"))
	lists.EnsureAbsent(&list, "c1", same("c"))
	assert.Equal(t, []string{"a2", "b1", "c1"}, list)

	list = append(list, "a4")
	lists.RemoveFirst(&list, same("a"))
	lists.RemoveFirst(&list, same("x"))
	assert.Equal(t, []string{"b1", "c1", "a4"}, list)
	list = append(list, "b2")
	lists.Remove(&list, same("b"))
	assert.Equal(t, []string{"c1", "a4"}, list)
	lists.Remove(&list, same("a"))
	lists.RemoveFirst(&list, same("c"))
	assert.Nil(t, list)

	list = []string{}
	lists.Remove(&list, same("a"))
	assert.Nil(t, list)
}

func TestMaps(t *testing.T) {
	var entries map[string]int
	lists.Unset(&entries, "a")
	assert.Nil(t, entries)
	lists.Set(&entries, "a", 1)
	lists.Set(&entries, "b", 2)
	lists.Set(&entries, "a", 3)
	lists.Unset(&entries, "b")
	assert.Equal(t, map[string]int{"a": 3}, entries)
	lists.Unset(&entries, "a")
	assert.Nil(t, entries)
}
