package publication_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

// stop ends the operator. It is started by the function that is returned, or when the test ends.
func (p *publishing) stop() (startAgain func()) {
	p.T.Helper()
	require.NoError(p.T, operator.Stop())
	startAgain = sync.OnceFunc(func() {
		_, err := start()
		require.NoError(p.T, err)
	})
	p.T.Cleanup(startAgain)
	return startAgain
}

func withoutFinalizers(object *unstructured.Unstructured) bool {
	return len(object.GetFinalizers()) == 0
}

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

// TestFinalizerWithoutACopyIsTakenOffAfterARestart deletes the PublishedResource while no operator runs. The object has the finalizer, and no copy.
func TestFinalizerWithoutACopyIsTakenOffAfterARestart(t *testing.T) {
	p := newPublishing(t)
	resource := p.publish(func(spec *v1alpha1.PublishedResourceSpec) {
		p.inHome(spec)
		spec.Deletion.Wait = true
	})
	p.foreign(nil)
	object := p.create("www", `{issuer: theirs}`)
	p.tells(object, v1alpha1.ReasonNameConflict)
	require.False(t, withoutFinalizers(p.eventually(object, anything)))
	startAgain := p.stop()
	require.NoError(t, p.remotes.Delete(t.Context(), resource))
	startAgain()
	p.unpublish(resource)
	assert.True(t, withoutFinalizers(p.eventually(object, anything)))
}

// TestPublicationEndsWithoutItsService removes the kind of the service, and with it all copies, before the PublishedResource is deleted.
func TestPublicationEndsWithoutItsService(t *testing.T) {
	for name, restarts := range map[string]bool{"running": false, "restarted": true} {
		t.Run(name, func(t *testing.T) {
			p := newPublishing(t)
			resource := p.publish(withRelated)
			p.secret(member, p.there.Home, "password", "first")
			object := p.create("www", `{secretName: tls, passwordName: password}`)
			copied := p.copyOf(object, anything)
			spec := copied.Object["spec"].(map[string]any) //nolint:forcetypeassert // it is one
			password := spec["passwordName"].(string)      //nolint:forcetypeassert // it is one
			p.holdsSecret(hub, copied.GetNamespace(), password, "first")
			p.secret(hub, copied.GetNamespace(), spec["secretName"].(string), "issued")
			p.holdsSecret(member, p.there.Home, "tls", "issued")

			startAgain := func() {}
			if restarts {
				startAgain = p.stop()
			}
			p.removeService()
			require.NoError(t, p.remotes.Delete(t.Context(), resource))
			startAgain()
			p.unpublish(resource)
			assert.True(t, withoutFinalizers(p.eventually(object, anything)))
			p.holdsSecret(hub, copied.GetNamespace(), password, "")
			p.holdsSecret(member, p.there.Home, "tls", "")
			p.holdsSecret(member, p.there.Home, "password", "first")
		})
	}
}

// removeService removes the kind of the service.
func (p *publishing) removeService() {
	p.T.Helper()
	name := "certificates." + p.group
	require.NoError(p.T, p.service.Resource(definitionKind).Delete(p.T.Context(), name, metav1.DeleteOptions{}))
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		_, err := p.service.Resource(definitionKind).Get(p.T.Context(), name, metav1.GetOptions{})
		assert.Error(c, err)
	}, env.Timeout, env.Interval)
}
