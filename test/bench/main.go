package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/test/bench/bare"
)

func main() {
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	cancel()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "bare" {
		return runBare(ctx, args[1:])
	}
	chosen, err := parse(args)
	if err != nil {
		return err
	}
	return measure(ctx, chosen)
}

// runBare runs the limit.
func runBare(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bare", flag.ContinueOnError)
	kubeConfig := flags.String("kubeconfig", "", "How to reach the API server.")
	names := flags.String("kinds", "", "Kinds of sources.")
	if err := flags.Parse(args); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeConfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	all, err := allKinds()
	if err != nil {
		return err
	}
	var kinds []bare.Kind
	wanted := strings.Split(*names, ",")
	for _, k := range all {
		if slices.Contains(wanted, k.Kind.Kind) {
			kinds = append(kinds, k.Kind)
		}
	}
	return bare.Run(ctx, config, kinds, concurrency, os.Stdin, os.Stdout)
}
