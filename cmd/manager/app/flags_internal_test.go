package app

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	options, _, err := parse(nil, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, Options{
		SourceMode:                  "allowlist",
		RequeueInterval:             30 * time.Second,
		MaxConcurrentReconciles:     16,
		SelectorWriteConcurrency:    16,
		MaxSelectedContent:          16 << 20,
		SelectorExcludedNamespaces:  "kube-system,kube-public,kube-node-lease",
		LeaderElect:                 true,
		LeaderElectionLeaseDuration: 15 * time.Second,
		MetricsBindAddress:          ":8443",
		MetricsSecure:               true,
		HealthProbeBindAddress:      ":8081",
		PprofBindAddress:            "0",
	}, options)
	assert.Equal(t, Defaults(), options)
	assert.Equal(t, []string{"kube-system", "kube-public", "kube-node-lease"}, options.ExcludedNamespaces())
}

func TestEveryFlagSetsItsOption(t *testing.T) {
	with := func(change func(*Options)) Options {
		options := Defaults()
		change(&options)
		return options
	}
	certificate := t.TempDir()
	for _, name := range []string{"tls.crt", "tls.key"} {
		require.NoError(t, os.WriteFile(filepath.Join(certificate, name), nil, 0o600))
	}
	tests := map[string]Options{
		"--source-mode=permissive":                      with(func(o *Options) { o.SourceMode = "permissive" }),
		"--default-service-account=tenant":              with(func(o *Options) { o.DefaultServiceAccount = "tenant" }),
		"--require-service-account":                     with(func(o *Options) { o.RequireServiceAccount = true }),
		"--requeue-interval=1m30s":                      with(func(o *Options) { o.RequeueInterval = 90 * time.Second }),
		"--max-concurrent-reconciles=3":                 with(func(o *Options) { o.MaxConcurrentReconciles = 3 }),
		"--selector-write-concurrency=4":                with(func(o *Options) { o.SelectorWriteConcurrency = 4 }),
		"--selector-excluded-namespaces=a, b ,":         with(func(o *Options) { o.SelectorExcludedNamespaces = "a, b ," }),
		"--selector-excluded-namespaces=":               with(func(o *Options) { o.SelectorExcludedNamespaces = "" }),
		"--watch-label-selector=shard in (a,b)":         with(func(o *Options) { o.WatchLabelSelector = "shard in (a,b)" }),
		"--remote-clusters":                             with(func(o *Options) { o.RemoteClusters = true }),
		"--hub-id=0c1d2e3f-41aa-4a5c-9d0e-7b1f2a3c4d5e": with(func(o *Options) { o.HubID = "0c1d2e3f-41aa-4a5c-9d0e-7b1f2a3c4d5e" }),
		"--leader-elect=false":                          with(func(o *Options) { o.LeaderElect = false }),
		"--leader-election-namespace=here":              with(func(o *Options) { o.LeaderElectionNamespace = "here" }),
		"--leader-election-lease-duration=20s":          with(func(o *Options) { o.LeaderElectionLeaseDuration = 20 * time.Second }),
		"--metrics-bind-address=0":                      with(func(o *Options) { o.MetricsBindAddress = "0" }),
		"--pprof-bind-address=127.0.0.1:6060":           with(func(o *Options) { o.PprofBindAddress = "127.0.0.1:6060" }),
		"--metrics-bind-address=[::1]:8080":             with(func(o *Options) { o.MetricsBindAddress = "[::1]:8080" }),
		"--metrics-cert-dir=" + certificate:             with(func(o *Options) { o.MetricsCertDir = certificate }),
		"--metrics-secure=false":                        with(func(o *Options) { o.MetricsSecure = false }),
		"--health-probe-bind-address=0":                 with(func(o *Options) { o.HealthProbeBindAddress = "0" }),
		"--health-probe-bind-address=localhost:0":       with(func(o *Options) { o.HealthProbeBindAddress = "localhost:0" }),
		"--enable-http2":                                with(func(o *Options) { o.EnableHTTP2 = true }),
		"--kubeconfig=/path":                            with(func(o *Options) { o.KubeConfig = "/path" }),
	}
	set := map[string]bool{}
	for argument, want := range tests {
		options, _, err := parse([]string{argument}, io.Discard)
		require.NoError(t, err, argument)
		assert.Equal(t, want, options, argument)
		name, _, _ := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
		set[name] = true
	}
	options, flags := Defaults(), flag.NewFlagSet("", flag.ContinueOnError)
	bind(&options, flags)
	flags.VisitAll(func(f *flag.Flag) {
		assert.True(t, set[f.Name], "no test sets --%s", f.Name)
		assert.True(t, strings.HasSuffix(f.Usage, "."), "--%s is explained in sentences", f.Name)
	})
	assert.Equal(t, []string{"a", "b"}, tests["--selector-excluded-namespaces=a, b ,"].ExcludedNamespaces())
}

func TestBadValues(t *testing.T) {
	tests := map[string]string{
		"--source-mode=all":                        `--source-mode: "all" is no source mode; write "allowlist" or "permissive"`,
		"--source-mode=":                           `--source-mode: "" is no source mode; write "allowlist" or "permissive"`,
		"--default-service-account=a:b":            `--default-service-account: "a:b" cannot be the name of a service account; write it without its namespace`,
		"--requeue-interval=0s":                    `--requeue-interval: 0s is too short; write 1s or more`,
		"--requeue-interval=-1s":                   `--requeue-interval: -1s is too short; write 1s or more`,
		"--requeue-interval=30":                    `invalid value "30" for flag -requeue-interval`,
		"--max-concurrent-reconciles=0":            `--max-concurrent-reconciles: 0 does nothing; write 1 or more`,
		"--max-concurrent-reconciles=many":         `invalid value "many" for flag -max-concurrent-reconciles`,
		"--selector-write-concurrency=-1":          `--selector-write-concurrency: -1 does nothing; write 1 or more`,
		"--selector-excluded-namespaces=a,B":       `--selector-excluded-namespaces: "B" cannot be the name of a namespace; write names separated by commas`,
		"--selector-excluded-namespaces=a b":       `--selector-excluded-namespaces: "a b" cannot be the name of a namespace; write names separated by commas`,
		"--watch-label-selector=a in":              `--watch-label-selector: "a in" is no label selector`,
		"--watch-label-selector==":                 `--watch-label-selector: "=" is no label selector`,
		"--hub-id=true":                            `--hub-id: "true" is no uid; write that of the namespace kube-system of the former cluster`,
		"--leader-election-namespace=a/b":          `--leader-election-namespace: "a/b" cannot be the name of a namespace`,
		"--leader-election-lease-duration=1s":      `--leader-election-lease-duration: 1s is too short; write 5s or more`,
		"--metrics-bind-address=8080":              `--metrics-bind-address: "8080" is no address; write host:port, :port, or 0 to turn it off`,
		"--metrics-bind-address=":                  `--metrics-bind-address: "" is no address; write host:port, :port, or 0 to turn it off`,
		"--metrics-bind-address=:http":             `--metrics-bind-address: ":http" is no address; write host:port, :port, or 0 to turn it off`,
		"--pprof-bind-address=6060":                `--pprof-bind-address: "6060" is no address; write host:port, :port, or 0 to turn it off`,
		"--metrics-bind-address=:65536":            `--metrics-bind-address: ":65536" is no address; write host:port, :port, or 0 to turn it off`,
		"--metrics-secure=perhaps":                 `invalid boolean value "perhaps" for -metrics-secure`,
		"--health-probe-bind-address=localhost":    `--health-probe-bind-address: "localhost" is no address; write host:port, :port, or 0 to turn it off`,
		"--health-probe-bind-address=localhost:-1": `--health-probe-bind-address: "localhost:-1" is no address; write host:port, :port, or 0 to turn it off`,
		"--no-such-flag":                           `flag provided but not defined: -no-such-flag`,
		"start":                                    `"start" is no flag; flags begin with --, and the manager takes nothing else`,
		"--zap-log-level=loud":                     `invalid value "loud" for flag -zap-log-level`,
	}
	for argument, sentence := range tests {
		t.Run(argument, func(t *testing.T) {
			_, _, err := parse([]string{argument}, io.Discard)
			require.ErrorContains(t, err, sentence)
			assert.NotContains(t, err.Error(), "\n", "one mistake, one sentence")
		})
	}
}

func TestLeaseIsNotLookedAtWithoutElection(t *testing.T) {
	_, _, err := parse([]string{"--leader-elect=false", "--leader-election-lease-duration=1s"}, io.Discard)
	require.NoError(t, err)
	_, _, err = parse([]string{"--leader-elect=false", "--leader-election-namespace=a/b"}, io.Discard)
	require.Error(t, err, "it is the namespace of the operator, too")
}

func TestAllMistakesAreReportedAtOnce(t *testing.T) {
	_, _, err := parse([]string{
		"--source-mode=all", "--requeue-interval=1ms", "--max-concurrent-reconciles=0", "--selector-write-concurrency=0",
		"--selector-excluded-namespaces=A,B", "--watch-label-selector=!", "--leader-election-lease-duration=1s",
		"--metrics-bind-address=x", "--health-probe-bind-address=y", "--pprof-bind-address=z",
	}, io.Discard)
	require.Error(t, err)
	var flags []string
	for sentence := range strings.SplitSeq(err.Error(), "\n") {
		name, _, found := strings.Cut(sentence, ":")
		require.True(t, found, sentence)
		flags = append(flags, name)
	}
	assert.Equal(t, []string{
		"--source-mode", "--requeue-interval", "--max-concurrent-reconciles", "--selector-write-concurrency",
		"--selector-excluded-namespaces", "--selector-excluded-namespaces", "--watch-label-selector",
		"--leader-election-lease-duration", "--metrics-bind-address", "--health-probe-bind-address", "--pprof-bind-address",
	}, flags)
}

func TestSeveralStrayWords(t *testing.T) {
	_, _, err := parse([]string{"--leader-elect", "false", "now"}, io.Discard)
	assert.EqualError(t, err, `"false now" is no flag; flags begin with --, and the manager takes nothing else`)
}

func TestHelp(t *testing.T) {
	var help bytes.Buffer
	_, _, err := parse([]string{"--help"}, &help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, name := range []string{"-source-mode", "-kubeconfig", "-zap-log-level"} {
		assert.Contains(t, help.String(), "  "+name)
	}
}
