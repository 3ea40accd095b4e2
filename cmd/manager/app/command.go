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

// run does the work of a command for the rules that match the selector.
type run = func(ctx context.Context, config *rest.Config, selector labels.Selector) error

// commands are what the program does instead of running the manager, if its first argument is their name. Each adds its own flags.
var commands = map[string]func(*flag.FlagSet) run{
	"delete-rules": deleteRules,
	"trial":        trial,
}

// runCommand runs the command with the arguments.
func runCommand(ctx context.Context, name, version string, args []string) error {
	options := Defaults()
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	timeout := flags.Duration("timeout", 5*time.Minute, "How long the command may take.")
	flags.StringVar(&options.WatchLabelSelector, "watch-label-selector", "", "Label selector of the rules that the operator reconciles. Empty: all.")
	flags.StringVar(&options.KubeConfig, "kubeconfig", "", "Path of a kubeconfig file. Empty: as for the manager.")
	work := commands[name](flags)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if err := onlyFlags(flags, name); err != nil {
		return err
	}
	if err := options.Validate(); err != nil {
		return err
	}
	selector, err := labels.Parse(options.WatchLabelSelector)
	if err != nil {
		return err
	}
	config, err := options.restConfig()
	if err != nil {
		return err
	}
	config.UserAgent = component + "/" + version
	ctrl.SetLogger(zap.New())
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	return work(ctx, config, selector)
}

// deleteRules deletes rules in all namespaces. It has no flag for a namespace: with one that it ignored, it would delete all rules.
func deleteRules(*flag.FlagSet) run {
	return func(ctx context.Context, config *rest.Config, selector labels.Selector) error {
		rules, err := metadata.NewForConfig(config)
		if err != nil {
			return err
		}
		return hooks.DeleteRules(ctx, rules, selector.String(), ctrl.Log)
	}
}

func trial(flags *flag.FlagSet) run {
	namespace := flags.String("namespace", "", "Namespace of the trial.")
	name := flags.String("name", "projection-trial", "Name of the rule of the trial.")
	return func(ctx context.Context, config *rest.Config, selector labels.Selector) error {
		if *namespace == "" {
			return errors.New("--namespace is missing; name the namespace in which the trial may create a ConfigMap, its copy and a rule")
		}
		scheme := runtime.NewScheme()
		if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
			return err
		}
		cluster, err := client.New(config, client.Options{Scheme: scheme})
		if err != nil {
			return err
		}
		return hooks.Trial{Client: cluster, Namespace: *namespace, Name: *name, Selector: selector}.Run(ctx)
	}
}
