// Package cli has the commands of the plugin: what they read, and what they print.
package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// Exit codes, as kubectl diff has them.
const (
	exitFound = 1 // the command has found differences or problems, and has printed them
	exitError = 2 // the command has failed
)

// errFound ends a command that has found differences or problems.
var errFound = errors.New("differences or problems were found")

// Plugin is the program.
type Plugin struct {
	root    *cobra.Command
	streams genericiooptions.IOStreams
}

// New returns the program of that version.
func New(version string, streams genericiooptions.IOStreams) *Plugin {
	terminal := terminalOf(streams.Out)
	streams.Out, streams.ErrOut = &printable{to: streams.Out}, &printable{to: streams.ErrOut}
	return &Plugin{newRoot(version, streams, terminal), streams}
}

// Run runs the command that the arguments name, and returns the exit code.
func (p *Plugin) Run(ctx context.Context, args []string) int {
	ctrl.SetLogger(logr.Discard()) // the packages of the operator log nothing that a user of the plugin needs
	ctx = klog.NewContext(ctx, logr.Discard())
	p.root.SetArgs(args)
	err := p.root.ExecuteContext(ctx)
	if errors.Is(err, errFound) {
		return exitFound
	}
	if err != nil {
		_, _ = fmt.Fprintln(p.streams.ErrOut, "error:", err)
		return exitError
	}
	return 0
}

// options are what all commands have in common.
type options struct {
	genericiooptions.IOStreams

	flags             *genericclioptions.ConfigFlags
	operatorNamespace string
	version           string
	now               func() time.Time
	// terminal is what the command prints to; nil: no terminal.
	terminal *terminal
}

func newRoot(version string, streams genericiooptions.IOStreams, terminal *terminal) *cobra.Command {
	o := &options{IOStreams: streams, flags: genericclioptions.NewConfigFlags(true), version: version, now: time.Now, terminal: terminal}
	root := &cobra.Command{
		Use:   "kubectl-projection",
		Short: "Find out what Projections and ClusterProjections copy, and why",
		Long: `Find out what Projections and ClusterProjections copy, and why.

The plugin reads with your own permissions, and prints "?" for what you may not read. It never prints values of Secrets.`,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl projection"},
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              cobra.NoArgs,
		RunE:              func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	o.flags.AddFlags(root.PersistentFlags())
	root.PersistentFlags().StringVar(&o.operatorNamespace, "operator-namespace", access.DefaultOperatorNamespace,
		"Namespace of the operator, where its settings are read.")
	root.AddCommand(newConsents(o), newEvents(o), newRender(o), newResume(o), newStatus(o), newSuspend(o), newTree(o), newVersion(o), newWhy(o))
	root.AddCommand(newAdopt(o), newMigrate(o), newRelease(o))
	root.AddCommand(newDoctor(o), newPlan(o), newUI(o), newTop(o))
	root.AddCommand(newAbandon(o), newClusters(o), newConvert(o), newOrphans(o), newRights(o))
	return root
}

// connect returns the API server and the settings of the operator.
func (o *options) connect(ctx context.Context) (*access.Cluster, access.Settings, error) {
	cluster, err := access.New(o.flags, o.userAgent())
	if err != nil {
		return nil, access.Settings{}, err
	}
	settings, err := cluster.Settings(ctx, o.operatorNamespace)
	return cluster, settings, err
}

func (o *options) userAgent() string { return "kubectl-projection/" + o.version }

// namespace returns the one of the flag -n, or else that of the context.
func (o *options) namespace() (string, error) {
	namespace, _, err := o.flags.ToRawKubeConfigLoader().Namespace()
	return namespace, err
}
