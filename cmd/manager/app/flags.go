package app

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// parse reads the options of the manager and of the logger from the arguments.
func parse(args []string, output io.Writer) (Options, *zap.Options, error) {
	options, logs := Defaults(), &zap.Options{}
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(output)
	bind(&options, flags)
	bindLogs(logs, flags)
	if err := flags.Parse(args); err != nil {
		return options, logs, err
	}
	if err := onlyFlags(flags, "the manager"); err != nil {
		return options, logs, err
	}
	return options, logs, options.Validate()
}

// onlyFlags returns an error if there are arguments that are no flags.
func onlyFlags(flags *flag.FlagSet, command string) error {
	if rest := flags.Args(); len(rest) > 0 {
		return fmt.Errorf("%q is no flag; flags begin with --, and %s takes nothing else", strings.Join(rest, " "), command)
	}
	return nil
}

// Flags returns the flags of the manager and of its logger, with their defaults.
func Flags() *flag.FlagSet {
	options, flags := Defaults(), flag.NewFlagSet("manager", flag.ContinueOnError)
	bind(&options, flags)
	bindLogs(&zap.Options{}, flags)
	return flags
}

func bind(o *Options, flags *flag.FlagSet) {
	flags.StringVar(&o.SourceMode, "source-mode", o.SourceMode,
		"Consent mode: allowlist copies only sources that their owner opts in by the "+
			"annotation projection.sh/projectable; permissive copies all sources whose owner has not opted out.")
	flags.StringVar(&o.DefaultServiceAccount, "default-service-account", o.DefaultServiceAccount,
		"Service account, in the namespace of a Projection, in whose name its source is read and its copy is written if it names none. "+
			"Empty: the operator itself.")
	flags.BoolVar(&o.RequireServiceAccount, "require-service-account", o.RequireServiceAccount,
		"Serve only rules with a service account: one that they name or, for Projections, --default-service-account. "+
			"The copies of others stay as they are.")
	flags.DurationVar(&o.RequeueInterval, "requeue-interval", o.RequeueInterval,
		"How often to retry a rule that waits for something without events, and the upper limit of the retry backoff. "+
			"A write that the API server refuses (quota, policy, permission), or a read in the name of a service account, "+
			"backs off to ten times that, at most five minutes.")
	flags.IntVar(&o.MaxConcurrentReconciles, "max-concurrent-reconciles", o.MaxConcurrentReconciles,
		"Number of workers for each kind of rule. A reconcile keeps its worker for at most one second.")
	flags.IntVar(&o.SelectorWriteConcurrency, "selector-write-concurrency", o.SelectorWriteConcurrency,
		"How many copies of one rule are written concurrently.")
	flags.StringVar(&o.SelectorExcludedNamespaces, "selector-excluded-namespaces", o.SelectorExcludedNamespaces,
		"Namespaces, separated by commas, that no selector matches. An explicit list can still name them.")
	flags.StringVar(&o.WatchLabelSelector, "watch-label-selector", o.WatchLabelSelector,
		"Reconcile only the rules that match this label selector, so that several installations can share a cluster. Empty: all.")
	flags.BoolVar(&o.RemoteClusters, "remote-clusters", o.RemoteClusters,
		"Connect to the clusters that RemoteClusters declare. Their kubeconfigs are Secrets in the namespace of the operator.")
	flags.StringVar(&o.HubID, "hub-id", o.HubID,
		"Hub id by which other clusters know this operator. Set it to that of a former cluster to take over the copies of the same rules that are left "+
			"in other clusters. Empty: the uid of the namespace kube-system.")
	flags.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect,
		"Elect a leader: one replica is active, the others are on standby.")
	flags.StringVar(&o.LeaderElectionNamespace, "leader-election-namespace", o.LeaderElectionNamespace,
		"Namespace of the lease, and that of the operator. Empty: the namespace of the manager's pod.")
	flags.DurationVar(&o.LeaderElectionLeaseDuration, "leader-election-lease-duration", o.LeaderElectionLeaseDuration,
		"How long a standby waits after the leader's last renewal of the lease before it takes over.")
	flags.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress,
		"Address of /metrics; 0 turns it off.")
	flags.BoolVar(&o.MetricsSecure, "metrics-secure", o.MetricsSecure,
		"Serve metrics over TLS, and only to clients that are allowed to get /metrics.")
	flags.StringVar(&o.MetricsCertDir, "metrics-cert-dir", o.MetricsCertDir,
		"Directory of the certificate of the metrics, tls.crt and tls.key; they are read again when they change. Empty: the manager signs its own.")
	flags.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", o.HealthProbeBindAddress,
		"Address of /healthz and /readyz; 0 turns them off.")
	flags.StringVar(&o.PprofBindAddress, "pprof-bind-address", o.PprofBindAddress,
		"Address of /debug/pprof, without TLS and authentication; use a loopback address such as 127.0.0.1:6060. 0 turns it off.")
	flags.BoolVar(&o.EnableHTTP2, "enable-http2", o.EnableHTTP2,
		"Serve metrics over HTTP/2 as well.")
	flags.StringVar(&o.KubeConfig, "kubeconfig", o.KubeConfig,
		"Path of a kubeconfig file. Empty: $KUBECONFIG, else ~/.kube/config, else the pod's service account.")
}
