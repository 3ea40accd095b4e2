package app

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// parse reads the options and the logger's from the arguments.
func parse(args []string, output io.Writer) (Options, *zap.Options, error) {
	options, logs := Defaults(), &zap.Options{}
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(output)
	bind(&options, flags)
	logs.BindFlags(flags)
	if err := flags.Parse(args); err != nil {
		return options, logs, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		return options, logs, fmt.Errorf("%q is no flag; flags begin with --, and the manager takes nothing else", strings.Join(rest, " "))
	}
	return options, logs, options.Validate()
}

func bind(o *Options, flags *flag.FlagSet) {
	flags.StringVar(&o.SourceMode, "source-mode", o.SourceMode,
		"How a source is treated that has no consent annotation: allowlist projects only what its owner annotates with "+
			"projection.sh/projectable: \"true\"; permissive projects what is not vetoed.")
	flags.DurationVar(&o.RequeueInterval, "requeue-interval", o.RequeueInterval,
		"When to look again at a rule that waits for something no watch can see, and the longest delay between tries after a failure.")
	flags.IntVar(&o.MaxConcurrentReconciles, "max-concurrent-reconciles", o.MaxConcurrentReconciles,
		"How many workers each kind of rule has. A reconcile keeps its worker for a second at most.")
	flags.IntVar(&o.SelectorWriteConcurrency, "selector-write-concurrency", o.SelectorWriteConcurrency,
		"How many copies of one rule are written at a time.")
	flags.StringVar(&o.SelectorExcludedNamespaces, "selector-excluded-namespaces", o.SelectorExcludedNamespaces,
		"Namespaces, separated by commas, that no selector selects. An explicit list may still name them.")
	flags.StringVar(&o.WatchLabelSelector, "watch-label-selector", o.WatchLabelSelector,
		"Serve only the rules that this label selector selects, so that several installations can share a cluster. Empty: all.")
	flags.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect,
		"Let one of several replicas work while the others stand by.")
	flags.StringVar(&o.LeaderElectionNamespace, "leader-election-namespace", o.LeaderElectionNamespace,
		"Namespace of the lease. Empty: the namespace that the manager runs in.")
	flags.DurationVar(&o.LeaderElectionLeaseDuration, "leader-election-lease-duration", o.LeaderElectionLeaseDuration,
		"How long standbys wait for a leader that is silent before one takes over.")
	flags.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress,
		"Address of /metrics; 0 turns it off.")
	flags.BoolVar(&o.MetricsSecure, "metrics-secure", o.MetricsSecure,
		"Serve metrics over TLS, and only to those who the API server says may get /metrics.")
	flags.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", o.HealthProbeBindAddress,
		"Address of /healthz and /readyz; 0 turns them off.")
	flags.StringVar(&o.PprofBindAddress, "pprof-bind-address", o.PprofBindAddress,
		"Address of /debug/pprof, without TLS and open to whoever reaches it: best on the loopback, as 127.0.0.1:6060. 0 turns it off.")
	flags.BoolVar(&o.EnableHTTP2, "enable-http2", o.EnableHTTP2,
		"Serve metrics over HTTP/2, too.")
	flags.StringVar(&o.KubeConfig, "kubeconfig", o.KubeConfig,
		"File that says how to reach the API server. Empty: $KUBECONFIG, else ~/.kube/config, else the service account of the pod.")
}
