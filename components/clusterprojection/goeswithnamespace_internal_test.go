package clusterprojection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestGoesWithNamespace(t *testing.T) {
	ended := namespace("", true).DeletionTimestamp.Time
	tests := map[string]struct {
		cache   one
		created time.Time
		goes    bool
	}{
		"the namespace ends":                     {one{namespace: namespace("", true)}, ended.Add(-time.Second), true},
		"the namespace lives":                    {one{namespace: namespace("", false)}, ended.Add(-time.Second), false},
		"it is of a later namespace of the name": {one{namespace: namespace("", true)}, ended.Add(time.Second), false},
		"it may be of a later one":               {one{namespace: namespace("", true)}, ended, false},
		"the namespace is not known":             {one{}, ended.Add(-time.Second), false},
		"the cache does not answer":              {one{err: assert.AnError}, ended.Add(-time.Second), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := &metav1.ObjectMeta{Namespace: "tenant", CreationTimestamp: metav1.Time{Time: test.created}}
			assert.Equal(t, test.goes, NewNamespaces(test.cache, nil, nil, nil).GoesWithNamespace(t.Context(), object))
		})
	}
}
