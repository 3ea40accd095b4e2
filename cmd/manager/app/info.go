package app

import (
	"context"
	"flag"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	v1 "projection.sh/operator/api/v1"
)

// Others get the information by a role of their own, behind a value of the chart.
// +kubebuilder:rbac:groups="",resources=configmaps,resourceNames=projection-info,verbs=create;get;patch,namespace=system

// noticedFlags are the flags whose values users notice: by them, a user who may not see the manager's pod can tell why a rule has no copy.
var noticedFlags = []string{
	"source-mode", "selector-excluded-namespaces", "watch-label-selector", "requeue-interval", "require-service-account", "default-service-account",
	"remote-clusters", "hub-id",
}

// info returns the content of the ConfigMap projection-info.
func (o Options) info() map[string]string {
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	bind(&o, flags)
	info := map[string]string{"version": o.Version}
	for _, name := range noticedFlags {
		info[name] = flags.Lookup(name).Value.String()
	}
	return info
}

// publisher writes the ConfigMap projection-info when this replica begins to lead, unless it has the same content.
type publisher struct {
	reader client.Reader
	writer client.Writer
	at     types.NamespacedName
	info   map[string]string
	retry  time.Duration
}

// publishInfo lets the manager publish what the options say. Outside of a pod, the namespace of the lease is that of the operator; if there
// is none, nothing is published.
func publishInfo(mgr manager.Manager, options Options) error {
	namespace, isKnown := options.namespace()
	if !isKnown {
		return nil
	}
	p := &publisher{
		reader: mgr.GetAPIReader(), writer: mgr.GetClient(), info: options.info(), retry: options.RequeueInterval,
		at: types.NamespacedName{Namespace: namespace, Name: v1.ConfigMapInfo},
	}
	return mgr.Add(manager.RunnableFunc(p.run))
}

// run publishes, and tries again after a failure that may pass. It never ends the manager: nothing depends on the ConfigMap.
//
// Example: somebody upgrades the image alone. The operator lacks the permission, and goes on without the ConfigMap.
func (p *publisher) run(ctx context.Context) error {
	_ = wait.PollUntilContextCancel(ctx, p.retry, true, func(ctx context.Context) (done bool, _ error) {
		err := p.publish(ctx)
		if err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Info("Cannot write the ConfigMap that describes this installation", "configMap", p.at.String(), "reason", err.Error())
		}
		return err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err), nil
	})
	return nil
}

// owned returns the entries whose keys are in the information. Other keys are left to those who have added them.
func owned(data, info map[string]string) map[string]string {
	data = maps.Clone(data)
	maps.DeleteFunc(data, func(key, _ string) bool {
		_, ours := info[key]
		return !ours
	})
	return data
}

// publishTimeout is how long it may take to read and to write the ConfigMap.
const publishTimeout = 10 * time.Second

func (p *publisher) publish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	live := &corev1.ConfigMap{}
	err := p.reader.Get(ctx, p.at, live)
	if err == nil && maps.Equal(owned(live.Data, p.info), p.info) {
		return nil
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	intent := applycorev1.ConfigMap(p.at.Name, p.at.Namespace).WithData(p.info)
	return p.writer.Apply(ctx, intent, client.FieldOwner(component), client.ForceOwnership)
}
