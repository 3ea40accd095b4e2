package publication_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/api/v1alpha1"
)

// stop ends the operator. It is started by the function that is returned, or when the test ends.
func (p *publishing) stop() (startAgain func()) {
	p.T.Helper()
	require.NoError(p.T, running.Stop())
	startAgain = sync.OnceFunc(func() {
		_, err := start()
		require.NoError(p.T, err)
	})
	p.T.Cleanup(startAgain)
	return startAgain
}

func withoutFinalizers(object *unstructured.Unstructured) bool { return len(object.GetFinalizers()) == 0 }

// TestConsumerThatLeftIsAwaitedAfterARestart has the operator start while the kubeconfig of a former consumer is missing.
func TestConsumerThatLeftIsAwaitedAfterARestart(t *testing.T) {
	p := newPublishing(t)
	p.publish(func(spec *v1alpha1.PublishedResourceSpec) { spec.Deletion.Wait = true })
	object := p.create("www", `{days: 90}`)
	p.copyOf(object, anything)
	startAgain := p.stop()
	p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Consumers.Clusters.Names = []string{"nobody"} })
	require.NoError(t, clientset(hub).CoreV1().Secrets(operators).Delete(t.Context(), remoteName, metav1.DeleteOptions{}))
	startAgain()
	p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonUnreachable)
	assert.Len(t, p.copies(object), 1)
	p.setKubeconfig()
	p.noCopy(object)
	p.eventually(object, withoutFinalizers)
}
