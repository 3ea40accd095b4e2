// Package metrics exports what components measure to Prometheus: how often their resources are applied, and the conditions
// of their owners.
//
//	ocf_resource_apply_total{controller,owner_kind,component,resource,kind,operation}
//	ocf_resource_apply_errors_total{controller,owner_kind,component,resource,kind}
//	<namespace>_controller_condition{controller,kind,name,namespace,condition,status,reason,id}
//
// The operation is created, updated or none. No label of the counters names an object, so their number does not grow with
// that of the owners. The gauge has one series for each condition of each owner; its value is the time of the last
// transition, in seconds since 1970.
//
// Names and labels are those of github.com/sourcehawk/operator-component-framework and go-crd-condition-metrics, so that
// dashboards and alerts for these work as they are.
package metrics
