package push

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/watch"
)

// TestNamespacesChangeOneAfterAnother has several rules create namespaces while the watch lists them. Who listens need not be safe for concurrent use.
func TestNamespacesChangeOneAfterAnother(t *testing.T) {
	n := &namespaces{}
	var isHeard, overlaps atomic.Bool
	n.onChange(func(_, _ metav1.Object) {
		if !isHeard.CompareAndSwap(false, true) {
			overlaps.Store(true)
		}
		runtime.Gosched()
		isHeard.Store(false)
	})
	namespace := func(number int) metav1.Object {
		of := watch.NewNamespace()
		of.Name = fmt.Sprintf("n%d", number)
		return of
	}
	n.Replace(nil, "")
	var running sync.WaitGroup
	for worker := range 4 {
		running.Go(func() {
			for i := range 200 {
				if worker == 0 {
					n.Replace([]metav1.Object{namespace(i), namespace(i + 1)}, "")
				} else {
					n.Event(namespace(i), i%3 == 0)
				}
			}
		})
	}
	running.Wait()
	assert.False(t, overlaps.Load())
}
