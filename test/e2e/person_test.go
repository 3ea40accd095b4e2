package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// person is somebody with kubectl and a certificate, and the rights that roles give to the name on it.
type person struct {
	t          *testing.T
	name       string
	kubeconfig string
}

func newPerson(t *testing.T, name string) person {
	t.Helper()
	path, err := cluster.KubeConfigFor(name)
	require.NoError(t, err)
	return person{t, name, path}
}

// in returns somebody who holds the ClusterRole in the namespace.
func (p person) in(namespace, role string) person {
	p.t.Helper()
	_, err := cluster.Kubectl(p.t.Context(), "--namespace", namespace, "create", "rolebinding", p.name, "--clusterrole", role, "--user", p.name)
	require.NoError(p.t, err)
	return p
}

// everywhere returns somebody who holds the ClusterRole in the whole cluster.
func (p person) everywhere(role string) person {
	p.t.Helper()
	_, err := cluster.Kubectl(p.t.Context(), "create", "clusterrolebinding", p.name, "--clusterrole", role, "--user", p.name)
	require.NoError(p.t, err)
	return p
}

func (p person) kubectl(args ...string) (string, error) {
	return cluster.Kubectl(p.t.Context(), append([]string{"--kubeconfig", p.kubeconfig}, args...)...)
}

// does what is to succeed.
func (p person) does(args ...string) string {
	p.t.Helper()
	out, err := p.kubectl(args...)
	require.NoError(p.t, err)
	return out
}

// applies a manifest, as soon as the roles are there: the cluster adds them up in its own time.
func (p person) applies(manifest string) {
	p.t.Helper()
	path := file(p.t, manifest)
	require.EventuallyWithT(p.t, func(c *assert.CollectT) {
		_, err := p.kubectl("apply", "--filename", path)
		assert.NoError(c, err)
	}, timeout, env.Interval)
}

// mayNotApply tries a manifest, and is told why that is not allowed.
func (p person) mayNotApply(manifest, why string) {
	p.t.Helper()
	_, err := p.kubectl("apply", "--filename", file(p.t, manifest))
	require.ErrorContains(p.t, err, why)
}
