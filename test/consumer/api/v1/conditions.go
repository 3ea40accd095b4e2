package v1

import "projection.sh/operator/primitives/component"

// The conditions of a WebApp: one for each component, and Ready, which sums up the first three.
const (
	ConfigurationReady component.ConditionType = "ConfigurationReady"
	MigrationComplete  component.ConditionType = "MigrationComplete"
	WebReady           component.ConditionType = "WebReady"
	MonitoringReady    component.ConditionType = "MonitoringReady"
	CredentialsShared  component.ConditionType = "CredentialsShared"
	Ready              component.ConditionType = "Ready"
)
