package app_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/app"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/test/env"
)

// TestWatches lets a manager decide when to reconcile.
func TestWatches(t *testing.T) {
	w := newWorld(t)
	team := w.newTeam()
	w.startManager(team)
	w.create(sharedWith(team))
	w.createCredentials("first")
	assert.Eventually(t, func() bool { return len(w.copies(team)) == 1 }, env.Timeout, env.Interval, "by the Secret that the app refers to")
	require.Eventually(t, func() bool { return len(w.jobs()) == 1 }, env.Timeout, env.Interval, "by the ConfigMap that the app owns")
	w.finishMigration()
	require.Eventually(t, func() bool { return w.children()["Deployment web"] != nil }, env.Timeout, env.Interval, "by the Job")

	late := w.newNamespace()
	w.edit(sharedWith(team, late))
	require.Eventually(t, func() bool {
		return w.condition(v1.CredentialsShared).Reason == string(component.GuardBlocked)
	}, env.Timeout, env.Interval)
	w.accept(late)
	require.Eventually(t, func() bool {
		return w.condition(v1.CredentialsShared).Reason == string(component.Healthy)
	}, env.Timeout, env.Interval, "by the label of the namespace")

	for range 3 { // for the first time, it may be due to an earlier event
		copied := w.copies(team)[team]
		require.NoError(t, w.client.Delete(t.Context(), &copied))
		require.Eventually(t, func() bool {
			found := w.copies(team)
			return len(found) == 1 && found[team].UID != copied.UID
		}, env.Timeout, env.Interval, "by the copy")
	}
}

// startManager runs the operator for the namespace of the test and more, until the test ends.
func (w *world) startManager(namespaces ...string) {
	w.Helper()
	watched := map[string]cache.Config{w.namespace: {}}
	for _, namespace := range namespaces {
		watched[namespace] = cache.Config{}
	}
	mgr, err := ctrl.NewManager(cluster(w.T), ctrl.Options{
		Scheme: scheme, Metrics: server.Options{BindAddress: "0"}, Cache: cache.Options{DefaultNamespaces: watched},
	})
	require.NoError(w, err)
	reconciler := &app.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: mgr.GetEventRecorder("webapp"), Metrics: w.reconciler.Metrics,
	}
	require.NoError(w, reconciler.SetupWithManager(mgr))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- mgr.Start(ctx) }()
	w.Cleanup(func() {
		cancel()
		require.NoError(w, <-ended)
	})
}
