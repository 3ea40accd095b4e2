package freshness

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader lists what it holds.
type reader struct {
	client.Reader
	version string
	objects map[string]string // their versions, by name
	lists   int
}

func (r *reader) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	r.lists++
	list := into.(*metav1.PartialObjectMetadataList)
	list.ResourceVersion = r.version
	for name, version := range r.objects {
		list.Items = append(list.Items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}})
	}
	return nil
}

func newGate(live, cache *reader) *Gate {
	return &Gate{Live: live, Cache: cache, Outages: &Outages{}, Lists: []List{{
		New: func() client.ObjectList {
			list := &metav1.PartialObjectMetadataList{}
			list.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "NamespaceList"})
			return list
		},
		Selector: labels.Everything(),
	}}}
}

func TestCacheIsComparedOnceAfterAnOutage(t *testing.T) {
	live := &reader{version: "100", objects: map[string]string{"a": "7"}}
	g := newGate(live, &reader{objects: map[string]string{"a": "7"}})
	told := 0
	g.Compared = func() {
		told++
		assert.False(t, g.isPassed(), "nobody may rely on the comparison yet")
	}
	catchUp := func() bool {
		before := told
		require.NoError(t, g.CatchUp(t.Context()))
		return told > before
	}
	assert.False(t, catchUp())
	assert.Zero(t, live.lists, "nothing has happened")
	g.Outages.Note()
	g.Outages.Note()
	assert.True(t, catchUp())
	assert.False(t, catchUp())
	assert.Equal(t, 1, live.lists)
	g.Outages.Note()
	require.NoError(t, g.WaitForSync(t.Context()))
	assert.False(t, catchUp(), "it was compared when the controller began")
}

// TestCacheOfALostHistoryIsWaitedFor has the API server hold older versions than the cache, or others.
func TestCacheOfALostHistoryIsWaitedFor(t *testing.T) {
	tests := map[string]struct {
		version       string
		cached, lives map[string]string
		waits         bool
	}{
		"the same":                            {"100", map[string]string{"a": "7"}, map[string]string{"a": "7"}, false},
		"a change was lost":                   {"90", map[string]string{"a": "99"}, map[string]string{"a": "7"}, true},
		"a change was lost, and overtaken":    {"200", map[string]string{"a": "99"}, map[string]string{"a": "7"}, true},
		"a creation was lost":                 {"90", map[string]string{"a": "99"}, nil, true},
		"a creation was lost, and overtaken":  {"200", map[string]string{"a": "99"}, nil, true},
		"a deletion was lost, and overtaken":  {"200", nil, map[string]string{"a": "7"}, true},
		"nothing was lost of what is watched": {"90", map[string]string{"a": "7"}, map[string]string{"a": "7"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				live, cache := &reader{version: test.version, objects: test.lives}, &reader{objects: test.cached}
				g := newGate(live, cache)
				g.Outages.Note()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := g.CatchUp(ctx)
				assert.Equal(t, test.waits, err != nil, "%v", err)

				cache.objects = test.lives
				err = g.CatchUp(t.Context())
				require.NoError(t, err)
			})
		})
	}
}
