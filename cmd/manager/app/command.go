package app

import (
	"context"
	"errors"
	"flag"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app/hooks"
)

// request is what the flags of a command say.
type request struct {
	selector        labels.Selector
	namespace, name string
}

// commands are what the program does instead of running the manager, if its first argument is their name.
var commands = map[string]func(ctx context.Context, config *rest.Config, r request) error{
	"delete-rules": deleteRules,
	"trial":        trial,
}

// runCommand runs the command with the flags.
func runCommand(ctx context.Context, name, version string, args []string) error {
	options, r := Defaults(), request{}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	timeout := flags.Duration("timeout", 5*time.Minute, "How long the command may take.")
	flags.StringVar(&options.WatchLabelSelector, "watch-label-selector", "", "Label selector of the rules that the operator reconciles. Empty: all.")
	flags.StringVar(&options.KubeConfig, "kubeconfig", "", "Path of a kubeconfig file. Empty: as for the manager.")
	flags.StringVar(&r.namespace, "namespace", "", "Namespace of the trial.")
	flags.StringVar(&r.name, "name", "projection-trial", "Name of the rule of the trial.")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if err := options.Validate(); err != nil {
		return err
	}
	config, err := options.restConfig()
	if err != nil {
		return err
	}
	config.UserAgent = component + "/" + version
	ctrl.SetLogger(zap.New())
	if r.selector, err = labels.Parse(options.WatchLabelSelector); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	return commands[name](ctx, config, r)
}

func deleteRules(ctx context.Context, config *rest.Config, r request) error {
	rules, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	return hooks.DeleteRules(ctx, rules, r.selector.String(), ctrl.Log)
}

func trial(ctx context.Context, config *rest.Config, r request) error {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		return err
	}
	cluster, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	return hooks.Trial{Client: cluster, Namespace: r.namespace, Name: r.name, Selector: r.selector}.Run(ctx)
}
