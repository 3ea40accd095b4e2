package app

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/manager/app/fence"
	"projection.sh/operator/components/freshness"
	"projection.sh/operator/components/watch"
)

// gracePeriod is how long a manager that is asked to end may take.
const gracePeriod = 10 * time.Second

// newManager returns a manager that runs nothing yet.
//
// The fence is around what a leader does; nil: there is no election.
func newManager(
	ctx context.Context, config *rest.Config, options Options, outages *freshness.Outages,
) (mgr manager.Manager, guard *fence.Fence, err error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, nil, err
	}
	selector, err := labels.Parse(options.WatchLabelSelector)
	if err != nil {
		return nil, nil, err
	}
	duration, lease := options.LeaderElectionLeaseDuration, types.NamespacedName{Name: leaseName(selector)}
	config = withoutWarnings(config)
	election := config
	if options.LeaderElect {
		var isKnown bool
		if lease.Namespace, isKnown = options.namespace(); !isKnown {
			return nil, nil, errors.New("--leader-elect: outside of a pod the lease needs a place; set --leader-election-namespace, or --leader-elect=false")
		}
		guard = fence.New(lease, duration)
		config, election = guard.Configs(config)
	}
	mgr, err = ctrl.NewManager(readsEndWith(ctx, config), ctrl.Options{
		Scheme:   scheme,
		NewCache: newEndingCache(ctx),
		Cache: cache.Options{
			// An informer that nobody set up on purpose would hold objects of the whole cluster.
			ReaderFailOnMissingInformer: true,
			DefaultTransform:            cache.TransformStripManagedFields(),
			NewInformer:                 newPatientInformer(outages),
			ByObject: map[client.Object]cache.ByObject{
				&v1.Projection{}:        {Label: selector},
				&v1.ClusterProjection{}: {Label: selector},
				&corev1.Namespace{}:     {Transform: watch.TrimNamespace},
			},
		},
		// A process may run one manager after another.
		Controller:                    controllerconfig.Controller{SkipNameValidation: new(true)},
		Metrics:                       metricsOptions(options),
		HealthProbeBindAddress:        options.HealthProbeBindAddress,
		PprofBindAddress:              options.PprofBindAddress,
		LeaderElection:                options.LeaderElect,
		LeaderElectionConfig:          election,
		LeaderElectionID:              lease.Name,
		LeaderElectionNamespace:       lease.Namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 new(duration),
		RenewDeadline:                 new(duration * 2 / 3),
		RetryPeriod:                   new(duration * 2 / 15),
		GracefulShutdownTimeout:       new(gracePeriod),
	})
	if err != nil {
		return nil, nil, fmt.Errorf("set up the manager: %w", err)
	}
	return mgr, guard, nil
}

// newPatientInformer returns the constructor of informers whose watches stay open as long as nothing happens. They note when they cannot
// reach the API server.
func newPatientInformer(outages *freshness.Outages) newInformerFunc {
	return func(
		source toolscache.ListerWatcher, object runtime.Object, resync time.Duration, indexers toolscache.Indexers,
	) toolscache.SharedIndexInformer {
		return toolscache.NewSharedIndexInformer(watch.LongWatch(source, outages.Note), object, resync, indexers)
	}
}

type newInformerFunc = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer

// podNamespace is the file that tells a pod its namespace.
const podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// namespace returns that of the operator, which has the lease, if it is known.
func (o Options) namespace() (string, bool) {
	if o.LeaderElectionNamespace != "" {
		return o.LeaderElectionNamespace, true
	}
	namespace, err := os.ReadFile(podNamespace)
	return strings.TrimSpace(string(namespace)), err == nil
}

// leaseName returns the name of the lease. Installations that serve different rules do not wait for each other.
func leaseName(selector labels.Selector) string {
	if selector.Empty() {
		return v1.Domain
	}
	sum := sha256.Sum256([]byte(canonical(selector)))
	return v1.Domain + "-" + hex.EncodeToString(sum[:4])
}

// canonical returns the same text for every way to write a selector.
func canonical(selector labels.Selector) string {
	requirements, _ := selector.Requirements()
	texts := make([]string, len(requirements))
	for i, requirement := range requirements {
		operator := requirement.Operator()
		switch operator {
		case selection.Equals, selection.DoubleEquals:
			operator = selection.In
		case selection.NotEquals:
			operator = selection.NotIn
		default:
		}
		texts[i] = fmt.Sprintf("%s %s %q", requirement.Key(), operator, slices.Sorted(slices.Values(requirement.ValuesUnsorted())))
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), ",")
}

func metricsOptions(options Options) metricsserver.Options {
	metrics := metricsserver.Options{BindAddress: options.MetricsBindAddress, SecureServing: options.MetricsSecure, CertDir: options.MetricsCertDir}
	if options.MetricsSecure {
		metrics.FilterProvider = newMetricsFilter
	}
	if !options.EnableHTTP2 {
		metrics.TLSOpts = append(metrics.TLSOpts, func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} })
	}
	return metrics
}
