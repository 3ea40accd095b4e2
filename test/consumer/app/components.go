package app

import (
	"errors"
	"time"

	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/feature"
)

// Options are what the components of an app depend on besides the app.
type Options struct {
	// GracePeriod is how long the pods may not be ready. It runs while they wait for a migration, too.
	GracePeriod time.Duration
	// MonitoringServed reports whether the cluster serves ServiceMonitors.
	MonitoringServed bool
}

// Components are the parts of an app, in the order in which they are reconciled. Each reports a condition.
type Components struct {
	Configuration, Migration, Web, Monitoring *component.Component
}

// Essential are those without which the app is not ready.
func (c Components) Essential() []*component.Component {
	return []*component.Component{c.Configuration, c.Migration, c.Web}
}

// All are all of them.
func (c Components) All() []*component.Component { return append(c.Essential(), c.Monitoring) }

// Build returns the components of an app. It makes no request.
func Build(w *v1.WebApp, options Options) (Components, error) {
	var errs [4]error
	var built Components
	built.Configuration, errs[0] = configuration(w)
	built.Migration, errs[1] = migration(w)
	built.Web, errs[2] = web(w, options)
	built.Monitoring, errs[3] = monitoring(w, options)
	return built, errors.Join(errs[:]...)
}

// configuration is what the pods read.
func configuration(w *v1.WebApp) (*component.Component, error) {
	var errs failures
	hash := concepts.NewData[string]("credentials-hash")
	b := component.NewComponentBuilder().WithName("configuration").WithConditionType(v1.ConfigurationReady).
		Suspend(w.Spec.Suspended).
		IncludeWhen(w.Spec.CredentialsRef != nil,
			func() component.Resource { return errs.check(credentials(w, hash)) },
			component.ReadOnly(), component.BlockOnAbsence()).
		WithResource(errs.check(config(w, hash)))
	return errs.build(b)
}

// migration brings the data of the app to its version.
func migration(w *v1.WebApp) (*component.Component, error) {
	var errs failures
	b := component.NewComponentBuilder().WithName("migration").WithConditionType(v1.MigrationComplete).
		WithPrerequisite(component.DependsOn(v1.ConfigurationReady)).
		Suspend(w.Spec.Suspended).
		WithResource(errs.check(migrate(w)))
	return errs.build(b)
}

// web is what serves the users of the app.
func web(w *v1.WebApp, options Options) (*component.Component, error) {
	var errs failures
	hash := concepts.NewData[string]("config-hash")
	b := component.NewComponentBuilder().WithName("web").WithConditionType(v1.WebReady).
		WithPrerequisite(component.DependsOn(v1.MigrationComplete)).
		WithGracePeriod(options.GracePeriod).
		Suspend(w.Spec.Suspended).
		WithResource(errs.check(account(w))).
		WithResource(errs.check(liveConfig(w, hash)), component.ReadOnly(), component.BlockOnAbsence()).
		WithResource(errs.check(pods(w, hash)), component.BlockOnForeignController()).
		WithResource(errs.check(address(w))).
		WithResource(errs.check(budget(w)), component.DeleteWhen(replicasOf(w) < 2), component.OnlyIfOwned()).
		WithResource(errs.check(autoscaler(w)), component.GatedBy(feature.NewBooleanGate(w.Spec.Autoscaling != nil)), component.OnlyIfOwned())
	return errs.build(b)
}

// monitoring lets Prometheus find the pods, in a cluster that has its operator.
func monitoring(w *v1.WebApp, options Options) (*component.Component, error) {
	var errs failures
	b := component.NewComponentBuilder().WithName("monitoring").WithConditionType(v1.MonitoringReady).
		WithFeatureGate(feature.NewBooleanGate(w.Spec.Monitoring)).
		IncludeWhen(options.MonitoringServed, func() component.Resource { return errs.check(monitor(w)) }, component.OnlyIfOwned())
	return errs.build(b)
}

// failures are those of the resources of a component.
type failures []error

// check keeps the error of a resource, so that the resource can be given to a builder.
func (f *failures) check(resource component.Resource, err error) component.Resource {
	*f = append(*f, err)
	return resource
}

// build builds the component, unless one of its resources could not be built.
func (f *failures) build(b *component.Builder) (*component.Component, error) {
	if err := errors.Join(*f...); err != nil {
		return nil, err
	}
	return b.Build()
}
