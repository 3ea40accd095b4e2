package filltest_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/primitives/internal/filltest"
)

type node struct {
	Text   string
	Flag   *bool
	Bytes  []byte
	Labels map[string][]string
	Nodes  []node
}

func TestSharedMemoryIsSeen(t *testing.T) {
	given := filltest.New(reflect.TypeFor[node](), "a")
	untouched := filltest.New(reflect.TypeFor[node](), "a").Interface()
	assert.Equal(t, untouched, given.Interface())
	filled := given.Interface().(node)
	assert.Equal(t, []any{"a", true, []byte("a"), map[string][]string{"a": {"a"}}, "a"},
		[]any{filled.Text, *filled.Flag, filled.Bytes, filled.Labels, filled.Nodes[0].Text})

	for name, kept := range map[string]func(node) any{
		"a pointer": func(n node) any { return n.Flag },
		"a list":    func(n node) any { return n.Bytes },
		"a map":     func(n node) any { return n.Labels },
		"a list in a map": func(n node) any {
			return n.Labels["a"]
		},
		"what is below": func(n node) any { return n.Nodes },
	} {
		t.Run(name, func(t *testing.T) {
			given := filltest.New(reflect.TypeFor[node](), "a")
			shared := kept(given.Interface().(node))
			filltest.Scramble(given)
			assert.NotEqual(t, kept(untouched.(node)), shared)
		})
	}
}
