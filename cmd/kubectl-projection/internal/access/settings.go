package access

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// DefaultOperatorNamespace is where the documents install the operator.
const DefaultOperatorNamespace = "projection-system"

// DefaultExcluded are the namespaces that no selector matches, unless the operator has other settings.
const DefaultExcluded = "kube-system,kube-public,kube-node-lease"

// Settings are those of the operator, as its ConfigMap projection-info has them.
type Settings struct {
	// Known reports whether the ConfigMap could be read. The other settings are the defaults if not.
	Known bool `json:"known"`
	// Namespace is that of the operator.
	Namespace string `json:"namespace,omitempty"`
	// Version is that of the operator.
	Version string `json:"version,omitempty"`
	// Mode says what a source means that has no annotation of consent.
	Mode policy.Mode `json:"sourceMode"`
	// Excluded are the namespaces that no selector matches.
	Excluded []string `json:"excludedNamespaces"`
	// RequireAccount reports whether rules need a service account, and DefaultAccount is that of Projections that name none; empty: the operator.
	RequireAccount bool   `json:"requireServiceAccount,omitempty"`
	DefaultAccount string `json:"defaultServiceAccount,omitempty"`
	// Selector is the label selector of the rules that the operator reconciles; empty: all.
	Selector string `json:"watchLabelSelector,omitempty"`
	// RemoteClusters reports whether the operator connects to other clusters.
	RemoteClusters bool `json:"remoteClusters,omitempty"`
	// HubID is the hub id that an administrator has chosen; empty: it is the identity of the cluster.
	HubID string `json:"hubID,omitempty"`
}

// Serves reports whether the operator reconciles a rule with these labels. A selector that cannot be read selects all.
func (s Settings) Serves(rule map[string]string) bool {
	selector, err := labels.Parse(s.Selector)
	return err != nil || selector.Matches(labels.Set(rule))
}

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// Settings reads those of the operator in the namespace. If it cannot, they are the defaults, and not known. No other namespace is searched:
// everybody who may create a ConfigMap could claim to be the operator there.
func (c *Cluster) Settings(ctx context.Context, namespace string) (Settings, error) {
	info, err := c.Content.Resource(configMaps).Namespace(namespace).Get(ctx, v1.ConfigMapInfo, metav1.GetOptions{})
	if IsUnknown(err) || apierrors.IsNotFound(err) {
		return settingsOf(nil), nil
	}
	if err != nil {
		return Settings{}, err
	}
	data, _, _ := unstructured.NestedStringMap(info.Object, "data")
	settings := settingsOf(data)
	settings.Known, settings.Namespace = true, info.GetNamespace()
	return settings, nil
}

func settingsOf(data map[string]string) Settings {
	settings := Settings{Version: data["version"], Mode: policy.Allowlist, Selector: data["watch-label-selector"]}
	settings.RemoteClusters, settings.HubID = data["remote-clusters"] == "true", data["hub-id"]
	settings.RequireAccount, settings.DefaultAccount = data["require-service-account"] == "true", data["default-service-account"]
	if mode, err := policy.ParseMode(data["source-mode"]); err == nil {
		settings.Mode = mode
	}
	excluded, found := data["selector-excluded-namespaces"]
	if !found {
		excluded = DefaultExcluded
	}
	settings.Excluded = strings.FieldsFunc(excluded, func(r rune) bool { return r == ',' || r == ' ' })
	return settings
}
