// Package app is the manager: its flags, and how the parts are wired.
package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// Main runs the manager of that version with the flags until the context ends, or the command that the first argument names. Bad flags are
// an error before anything starts.
func Main(ctx context.Context, version string, args []string) error {
	if len(args) > 0 && commands[args[0]] != nil {
		return runCommand(ctx, args[0], version, args[1:])
	}
	options, logs, err := parse(args, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	logger := zap.New(zap.UseFlagOptions(logs), limitVerbosity)
	ctrl.SetLogger(logger)
	klog.SetLogger(logger) // client-go's
	config, err := options.restConfig()
	if err != nil {
		return err
	}
	options.Version = version
	config.UserAgent = component + "/" + version
	logger.Info("Starting", "version", version, "options", options)
	return Run(ctx, config, options)
}

// Run runs the manager against the API server until the context ends.
func Run(ctx context.Context, config *rest.Config, options Options) error {
	mgr, err := New(ctx, config, options)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // asked to end while it was set up
	}
	if err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// restConfig returns how to reach the API server. Its priority and fairness decides how fast we may be, not the client.
func (o Options) restConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.KubeConfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server (--kubeconfig): %w", err)
	}
	config.QPS = -1
	return config, nil
}
