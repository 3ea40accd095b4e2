package property_test

import (
	"context"
	"maps"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

// testify lets a witness watch the history until the test ends.
func (d *driver) testify() {
	d.t.Helper()
	watching, err := client.NewWithWatch(d.plane.Config, client.Options{Scheme: env.Scheme()})
	require.NoError(d.t, err)
	d.witness = newWitness(watching, d.world())
	d.t.Cleanup(d.witness.end)
	d.wants()
}

// witnessed does the action, and lets the witness know what is wanted before and after it.
func (d *driver) witnessed(action action) {
	d.t.Helper()
	if action.neutral {
		action.act(d)
		return
	}
	d.witness.unsettles()
	action.act(d)
	d.wants()
}

// wants lets the witness know what is wanted now, and as long as the sources in namespaces that are being deleted are there.
func (d *driver) wants() {
	d.t.Helper()
	state, err := d.world().ReadRules(context.Background())
	require.NoError(d.t, err)
	d.witness.wants(oracle.Wanted(state, d.foreign))
	if len(d.leaving) > 0 {
		present := maps.Clone(d.leaving)
		maps.Copy(present, d.foreign)
		d.witness.wants(oracle.Wanted(state, present))
	}
}

// testimony returns what the witness has seen since the last quiet point and ought not to have.
func (d *driver) testimony(state oracle.State) []string {
	d.t.Helper()
	if d.witness == nil {
		return nil
	}
	var list corev1.ConfigMapList
	require.NoError(d.t, d.client.List(context.Background(), &list, client.Limit(1)))
	return d.witness.quiet(oracle.Wanted(state, d.foreign), keeping(state), versionOf(&list))
}
