package property_test

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/manager"
)

// replicate lets every operator of the history have a second replica, which takes over when the first one ends.
func (d *driver) replicate() {
	d.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("leases")}}
	require.NoError(d.t, d.client.Create(context.Background(), namespace))
	d.replicated = true
	d.options = func(o *app.Options) {
		o.LeaderElect, o.LeaderElectionNamespace = true, namespace.Name
		o.LeaderElectionLeaseDuration = 5 * time.Second
	}
}

// adapt sets the options of every manager of the history.
func (d *driver) adapt(o *app.Options) {
	o.WatchLabelSelector = worldLabel + "=" + d.id
	o.RequeueInterval = 2 * time.Second
	o.Registry = prometheus.NewRegistry()
	d.options(o)
}

// takeOver makes the second replica the operator, if there is one that has not ended by itself.
func (d *driver) takeOver() bool {
	if d.standby == nil {
		return false
	}
	d.operator, d.standby = d.standby, nil
	return d.alive()
}

// standBy starts a second replica, if there is to be one.
func (d *driver) standBy() {
	if d.replicated && d.standby == nil {
		d.standby = manager.Start(d.config, d.adapt)
	}
}

// end kills every replica.
func (d *driver) end() {
	d.stop((*manager.InProcess).Kill)
	if d.standby != nil {
		d.standby.Kill()
		d.standby = nil
	}
}
