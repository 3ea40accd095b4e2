package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

const uiLong = `Serve pages that show the rules, their sources and their copies, to a browser on this machine.

The pages show what the other commands print, and follow changes. They are read-only, and read with your own permissions. They are served on 127.0.0.1 only,
to the one browser that opens the address that is printed: it has a token that is good for one time. Values of Secrets are never shown.

The pages show the Projections of all namespaces, or those of the namespace of the flag --namespace.`

const uiExample = `  # All rules
  kubectl projection ui

  # The ClusterProjections, and the Projections of one namespace
  kubectl projection ui -n tenant-a

  # In your browser at once
  kubectl projection ui --open

  # At the same port each time
  kubectl projection ui --port=8001`

// loopback is the address at which the pages are served.
const loopback = "127.0.0.1"

func newUI(o *options) *cobra.Command {
	var port uint16
	var isOpened bool
	command := &cobra.Command{
		Use:     "ui",
		Short:   "Serve pages that show the rules and their copies",
		Long:    uiLong,
		Example: uiExample,
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return o.serve(command.Context(), port, isOpened) },
	}
	command.Flags().Uint16Var(&port, "port", 0, "Port of the pages. 0 is any that is free.")
	command.Flags().BoolVar(&isOpened, "open", false, "If true, open the address in your browser. Other users of the machine may see it in the list of processes.")
	return command
}

// serve serves the pages until the context ends.
func (o *options) serve(ctx context.Context, port uint16, isOpened bool) error {
	config, err := o.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return err
	}
	name := config.CurrentContext
	if *o.flags.Context != "" {
		name = *o.flags.Context
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(int(port))))
	if err != nil {
		return err
	}
	server := ui.New(o.pages(name), listener.Addr().String())
	_, err = fmt.Fprintf(o.Out, "Serving on %s  read-only, with your own permissions (context: %s). Press Ctrl-C to stop.\n", server.Address(), name)
	if err != nil {
		return err
	}
	if isOpened {
		o.open(ctx, server.Address())
	}
	return server.Serve(ctx, listener)
}

// titleNamespaces is the title of what is about all namespaces.
const titleNamespaces = "Namespaces"

// pages makes the pages of the command ui.
type pages struct {
	*options

	// scope is the namespace whose Projections are shown; empty: all.
	scope string
	paces *paces
	// reviews is what the operator may do.
	reviews *reviews
}

func (o *options) pages(name string) ui.Options {
	p := pages{o, *o.flags.Namespace, &paces{}, &reviews{now: o.now}}
	return ui.Options{
		Context: name, Now: o.now, Watch: p.watch,
		Menu: []ui.Link{
			{Text: "Overview", Path: "/"}, {Text: "Problems", Path: "/problems"}, {Text: titleNamespaces, Path: "/namespaces"},
			{Text: titleClusters, Path: "/clusters"}, {Text: "Consents", Path: "/consents"}, {Text: "Plan", Path: "/plan"},
		},
		Sandbox: "/plan",
		Pages: map[string]func(*http.Request) (ui.Page, error){
			"/": p.overview, "/problems": p.problems, "/namespaces": p.namespaces, "/consents": p.consentPage, "/plan": p.plan,
			"/clusters": p.clusterList, "/clusters/{name}": ofNames(p.clusterPage),
			"/namespaces/{namespace}": ofNames(p.namespacePage), "/objects/{type}/{namespace}/{name}": ofNames(p.object),
			"/rules/clusterprojection/{name}": ofNames(p.rule), "/rules/clusterprojection/{name}/in/{in}": ofNames(p.copyOf),
			"/rules/projection/{namespace}/{name}": ofNames(p.rule), "/rules/projection/{namespace}/{name}/in/{in}": ofNames(p.copyOf),
		},
	}
}

// ofNames refuses addresses with names that no object can have: these would become other requests at the API server.
func ofNames(page func(*http.Request) (ui.Page, error)) func(*http.Request) (ui.Page, error) {
	return func(r *http.Request) (ui.Page, error) {
		for _, part := range []string{"namespace", "name", "in"} {
			if name := r.PathValue(part); name != "" && !objectname.IsValid(name) {
				return ui.Page{}, fmt.Errorf("%w: no object has the name %q", ui.ErrNotFound, name)
			}
		}
		return page(r)
	}
}

// path returns the address of the page about the rule.
func (i ruleInfo) path(below ...string) string {
	parts := []string{"rules", "clusterprojection", i.Name}
	if i.Namespace != "" {
		parts = []string{"rules", "projection", i.Namespace, i.Name}
	}
	return ui.Path(append(parts, below...)...)
}

// objectPath returns the address of the page about the object.
func objectPath(object forecast.Object) string {
	if !objectname.IsValid(object.Name) || object.Cluster != "" { // a selector selects several
		return ""
	}
	return ui.Path("objects", typeOf(object), object.Namespace, object.Name)
}

// sourcePath returns the address of the page about the source, or about the cluster in which it is.
func (i ruleInfo) sourcePath() string {
	if i.source.Cluster != "" {
		return clusterPath(i.source.Cluster)
	}
	return objectPath(i.source)
}

func objectCell(object forecast.Object) ui.Cell {
	return ui.Cell{Text: object.String(), Link: objectPath(object)}
}

func namespacePath(name string) string { return ui.Path("namespaces", name) }

// tone says how the rule is.
func (i ruleInfo) tone() ui.Tone {
	switch {
	case i.NotServed:
		return ui.Bad
	case i.Deleted:
		return ui.Waiting
	case i.Suspended:
		return ui.Off
	}
	switch i.Ready {
	case "True":
		return ui.Good
	case "False":
		return ui.Bad
	case unknownValue:
		return ui.Unknown
	default:
		return ui.Waiting
	}
}

// mayNotList says which resources the caller may not list.
func mayNotList(resources []string) (said []string) {
	for _, resource := range resources {
		said = append(said, "you may not list "+resource)
	}
	return said
}

// inquire connects, for a page about the namespace.
func (p pages) inquire(ctx context.Context, namespace string) (inquiry, error) {
	cluster, settings, err := p.connect(ctx)
	return inquiry{cluster, settings, namespace}, err
}

// ruleAt returns the rule that the address of the page names.
func (p pages) ruleAt(r *http.Request, in string) (inquiry, access.Rule, error) {
	kind, namespace := kindOfRules(r.PathValue("namespace") != ""), r.PathValue("namespace")
	i, err := p.inquire(r.Context(), in)
	if err != nil {
		return i, access.Rule{}, err
	}
	rule, err := i.cluster.Rule(r.Context(), kind, namespace, r.PathValue("name"))
	return i, rule, err
}

// typeOf returns the type of the object, as kubectl takes it as an argument.
func typeOf(object forecast.Object) string {
	name, _, _ := strings.Cut(objectname.Argument(object.GroupKind(), object.Name), "/")
	return name
}

// planPath returns the address of the plan of the rule.
func planPath(rule ruleInfo) string {
	values := url.Values{"rule": {rule.argument()}}
	if rule.Namespace != "" {
		values.Set("namespace", rule.Namespace)
	}
	return "/plan?" + values.Encode()
}
