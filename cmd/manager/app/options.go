package app

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// Options are the values of the manager's flags.
type Options struct {
	SourceMode                 string
	DefaultServiceAccount      string
	RequireServiceAccount      bool
	RequeueInterval            time.Duration
	MaxConcurrentReconciles    int
	SelectorWriteConcurrency   int
	SelectorExcludedNamespaces string
	WatchLabelSelector         string
	RemoteClusters             bool
	HubID                      string

	LeaderElect                 bool
	LeaderElectionNamespace     string
	LeaderElectionLeaseDuration time.Duration

	MetricsBindAddress     string
	MetricsSecure          bool
	MetricsCertDir         string
	HealthProbeBindAddress string
	PprofBindAddress       string
	EnableHTTP2            bool

	KubeConfig string

	// MaxSelectedContent is how many bytes of the content of selected sources a reconcile holds. It is no flag.
	MaxSelectedContent int
	// Version is that of the manager. It is no flag.
	Version string
	// Registry has the operator's own metrics; nil: that of controller-runtime, which is served. It is no flag.
	Registry prometheus.Registerer
}

// Defaults returns the options of a manager without flags.
func Defaults() Options {
	return Options{
		SourceMode:                  string(policy.Allowlist),
		RequeueInterval:             30 * time.Second,
		MaxConcurrentReconciles:     16,
		SelectorWriteConcurrency:    16,
		MaxSelectedContent:          16 << 20,
		SelectorExcludedNamespaces:  strings.Join([]string{metav1.NamespaceSystem, metav1.NamespacePublic, "kube-node-lease"}, ","),
		LeaderElect:                 true,
		LeaderElectionLeaseDuration: 15 * time.Second,
		MetricsBindAddress:          ":8443",
		MetricsSecure:               true,
		HealthProbeBindAddress:      ":8081",
		PprofBindAddress:            "0",
	}
}

// Shorter intervals would load the API server without benefit.
const (
	minRequeueInterval = time.Second
	minLeaseDuration   = 5 * time.Second
)

// Validate returns all invalid values, each in a sentence that names its flag.
func (o Options) Validate() error {
	return errors.Join(
		o.validateSourceMode(),
		o.validateDefaultServiceAccount(),
		atLeast("requeue-interval", o.RequeueInterval, minRequeueInterval),
		positive("max-concurrent-reconciles", o.MaxConcurrentReconciles),
		positive("selector-write-concurrency", o.SelectorWriteConcurrency),
		o.validateExcludedNamespaces(),
		o.validateWatchLabelSelector(),
		o.validateHubID(),
		o.validateLeaderElection(),
		address("metrics-bind-address", o.MetricsBindAddress),
		o.validateMetricsCertDir(),
		address("health-probe-bind-address", o.HealthProbeBindAddress),
		address("pprof-bind-address", o.PprofBindAddress),
	)
}

// ExcludedNamespaces returns the namespaces that no selector matches.
func (o Options) ExcludedNamespaces() []string {
	var names []string
	for name := range strings.SplitSeq(o.SelectorExcludedNamespaces, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (o Options) validateSourceMode() error {
	if _, err := policy.ParseMode(o.SourceMode); err != nil {
		return fmt.Errorf("--source-mode: %w", err)
	}
	return nil
}

func (o Options) validateDefaultServiceAccount() error {
	if o.DefaultServiceAccount != "" && len(validation.IsDNS1123Subdomain(o.DefaultServiceAccount)) > 0 {
		return fmt.Errorf("--default-service-account: %q cannot be the name of a service account; write it without its namespace", o.DefaultServiceAccount)
	}
	return nil
}

func (o Options) validateExcludedNamespaces() error {
	var errs []error
	for _, name := range o.ExcludedNamespaces() {
		if len(validation.IsDNS1123Label(name)) > 0 {
			errs = append(errs, fmt.Errorf("--selector-excluded-namespaces: %q cannot be the name of a namespace; write names separated by commas", name))
		}
	}
	return errors.Join(errs...)
}

func (o Options) validateWatchLabelSelector() error {
	if _, err := labels.Parse(o.WatchLabelSelector); err != nil {
		return fmt.Errorf("--watch-label-selector: %q is no label selector (%w); write it as in kubectl get -l", o.WatchLabelSelector, err)
	}
	return nil
}

// uids are those that API servers give to objects.
var uids = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (o Options) validateHubID() error {
	if o.HubID != "" && !uids.MatchString(o.HubID) {
		return fmt.Errorf("--hub-id: %q is no uid; write that of the namespace kube-system of the former cluster, "+
			"such as 5b7d6c1e-9f0a-4c0e-8a53-6f8e6f2d9b11: the copies in other clusters have it in the label %s<hub id>", o.HubID, v1.LabelOwnedByHubPrefix)
	}
	return nil
}

func (o Options) validateLeaderElection() error {
	if o.LeaderElectionNamespace != "" && len(validation.IsDNS1123Label(o.LeaderElectionNamespace)) > 0 {
		return fmt.Errorf("--leader-election-namespace: %q cannot be the name of a namespace", o.LeaderElectionNamespace)
	}
	if !o.LeaderElect {
		return nil
	}
	return atLeast("leader-election-lease-duration", o.LeaderElectionLeaseDuration, minLeaseDuration)
}

// validateMetricsCertDir reports a certificate that is not there. The metrics server would sign its own instead.
func (o Options) validateMetricsCertDir() error {
	if o.MetricsCertDir == "" {
		return nil
	}
	for _, name := range []string{corev1.TLSCertKey, corev1.TLSPrivateKeyKey} {
		if _, err := os.Stat(filepath.Join(o.MetricsCertDir, name)); err != nil {
			return fmt.Errorf("--metrics-cert-dir: the directory has to have the files %s and %s: %w", corev1.TLSCertKey, corev1.TLSPrivateKeyKey, err)
		}
	}
	return nil
}

func atLeast(flag string, value, least time.Duration) error {
	if value < least {
		return fmt.Errorf("--%s: %s is too short; write %s or more", flag, value, least)
	}
	return nil
}

func positive(flag string, value int) error {
	if value < 1 {
		return fmt.Errorf("--%s: %d does nothing; write 1 or more", flag, value)
	}
	return nil
}

// address accepts host:port with a numeric port, and "0" for off.
func address(flag, value string) error {
	if value == "0" {
		return nil
	}
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--%s: %q is no address; write host:port, :port, or 0 to turn it off", flag, value)
	}
	return nil
}
