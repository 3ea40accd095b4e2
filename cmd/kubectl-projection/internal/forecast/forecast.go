// Package forecast finds out what rules want, by the code of the operator and with the rights of the caller.
package forecast

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projection"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// Forecaster makes the plans of rules. It is safe for concurrent use.
type Forecaster struct {
	cluster    *access.Cluster
	settings   access.Settings
	namespaces *access.Namespaces
	resolver   *source.Resolver
	reader     *source.Reader
	version    func() string
}

// New returns a forecaster for an operator with the settings, and rules that have copies in the namespaces.
func New(ctx context.Context, cluster *access.Cluster, settings access.Settings, namespaces *access.Namespaces) *Forecaster {
	return &Forecaster{
		cluster: cluster, settings: settings, namespaces: namespaces,
		resolver: source.NewResolver(cluster.Discovery, source.Registry{Metadata: cluster.Metadata, Objects: cluster.Content}, source.RulesCluster),
		reader:   source.NewReader(cluster.Content, cluster.Metadata),
		version: sync.OnceValue(func() string {
			version, err := cluster.Discovery.ServerVersionWithContext(ctx)
			if err != nil {
				return ""
			}
			return version.GitVersion
		}),
	}
}

// With returns a forecaster of rules that have copies in those namespaces.
func (f *Forecaster) With(namespaces *access.Namespaces) *Forecaster {
	other := *f
	other.namespaces = namespaces
	return &other
}

// Plan returns what the rule wants of the source that the spec names. Any error is a plan.Error.
func (f *Forecaster) Plan(ctx context.Context, rule access.Rule, spec owner.Spec) (plan.Plan, error) {
	names := watch.NewNames()
	names.Set(watch.RuleKey{Kind: rule.Kind.Name, NamespacedName: rule.Key()}, destination.NamesOf(rule.Namespace, spec))
	switch object := rule.Object.(type) {
	case *v1.Projection:
		return makePlan(ctx, f, projection.Adapter(f.namespaces, names, nil), object, spec)
	case *v1.ClusterProjection:
		namespaces := clusterprojection.NewNamespaces(f.namespaces, f.settings.Excluded, nil, names)
		return makePlan(ctx, f, clusterprojection.Adapter(namespaces), object, spec)
	default:
		return plan.Plan{}, errors.New("neither a Projection nor a ClusterProjection")
	}
}

func makePlan[O owner.Object](ctx context.Context, f *Forecaster, adapter projector.Adapter[O], rule O, spec owner.Spec) (plan.Plan, error) {
	planner := &plan.Planner[O]{
		Kind: adapter.Kind, Targets: adapter.Targets, Resolver: f.resolver, Mode: f.settings.Mode, ServerVersion: f.version,
		RequireAccount: f.settings.RequireAccount, Spec: plan.WithDefaultAccount(adapter.Kind, func(O) owner.Spec { return spec }, f.settings.DefaultAccount),
		NamespaceLabels: func(ctx context.Context, name string) (map[string]string, bool, error) {
			return watch.NamespaceLabels(ctx, f.namespaces, name)
		},
		List: f.list,
	}
	return planner.Make(ctx, rule, f.read)
}

// read reads a source as the caller, whatever service account the rule names.
func (f *Forecaster) read(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
	return f.reader.Read(ctx, impersonate.Operator(), kind, ref, "")
}

// list lists what a selector selects, as the caller.
func (f *Forecaster) list(ctx context.Context, of source.Selection, do func(*unstructured.Unstructured) bool) error {
	for next := ""; ; {
		page, err := f.reader.ListPage(ctx, of, next)
		if err != nil {
			return err
		}
		for i := range page.Objects {
			if !do(&page.Objects[i]) {
				return nil
			}
		}
		if next = page.Next; next == "" {
			return nil
		}
	}
}
