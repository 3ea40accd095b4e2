package convert

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SyncAgentKind is the kind that is converted.
var SyncAgentKind = schema.GroupVersionKind{Group: "syncagent.kcp.io", Version: "v1alpha1", Kind: "PublishedResource"}

// theirs is a PublishedResource of api-syncagent.
type theirs struct {
	metav1.TypeMeta `json:",inline"`

	Metadata metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec     theirSpec         `json:"spec"`
	Status   map[string]any    `json:"status,omitempty"`
}

type theirSpec struct {
	Resource             theirResource    `json:"resource"`
	Filter               *theirFilter     `json:"filter,omitempty"`
	Naming               *theirNaming     `json:"naming,omitempty"`
	EnableWorkspacePaths bool             `json:"enableWorkspacePaths,omitempty"`
	Projection           *theirProjection `json:"projection,omitempty"`
	Mutation             *theirMutations  `json:"mutation,omitempty"`
	Related              []theirRelated   `json:"related,omitempty"`
	Synchronization      *theirSync       `json:"synchronization,omitempty"`
}

type theirResource struct {
	APIGroup string   `json:"apiGroup"`
	Version  string   `json:"version,omitempty"`
	Versions []string `json:"versions,omitempty"`
	Kind     string   `json:"kind"`
}

type theirFilter struct {
	Namespace *metav1.LabelSelector `json:"namespace,omitempty"`
	Resource  *metav1.LabelSelector `json:"resource,omitempty"`
}

type theirNaming struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

type theirProjection struct {
	Group      string            `json:"group,omitempty"`
	Version    string            `json:"version,omitempty"`
	Versions   map[string]string `json:"versions,omitempty"`
	Scope      string            `json:"scope,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Plural     string            `json:"plural,omitempty"`
	ShortNames []string          `json:"shortNames,omitempty"`
	Categories []string          `json:"categories,omitempty"`
}

type theirMutations struct {
	Spec   []theirMutation `json:"spec,omitempty"`
	Status []theirMutation `json:"status,omitempty"`
}

// theirMutation is a step. One of its fields is set.
type theirMutation struct {
	Delete   *theirDelete   `json:"delete,omitempty"`
	Regex    *theirRegex    `json:"regex,omitempty"`
	Template *theirTemplate `json:"template,omitempty"`
	CEL      *theirCEL      `json:"cel,omitempty"`
}

type theirDelete struct {
	Path string `json:"path"`
}

type theirRegex struct {
	Path        string `json:"path,omitempty"`
	Pattern     string `json:"pattern,omitempty"`
	Replacement string `json:"replacement,omitempty"`
}

type theirTemplate struct {
	Path     string `json:"path,omitempty"`
	Template string `json:"template,omitempty"`
}

type theirCEL struct {
	Path       string `json:"path"`
	Expression string `json:"expression"`
}

type theirRelated struct {
	Identifier    string           `json:"identifier"`
	Origin        string           `json:"origin"`
	Group         string           `json:"group,omitempty"`
	Version       string           `json:"version,omitempty"`
	Resource      string           `json:"resource,omitempty"`
	Kind          string           `json:"kind,omitempty"`
	IdentityHash  string           `json:"identityHash,omitempty"`
	Cleanup       bool             `json:"cleanup,omitempty"`
	CleanupPolicy string           `json:"cleanupPolicy,omitempty"`
	Projection    *theirKindChange `json:"projection,omitempty"`
	Object        theirPlace       `json:"object"`
	Mutation      *theirMutations  `json:"mutation,omitempty"`
	Watch         map[string]any   `json:"watch,omitempty"`
	SyncStatus    bool             `json:"syncStatus,omitempty"`
}

type theirKindChange struct {
	Group    string `json:"group,omitempty"`
	Version  string `json:"version,omitempty"`
	Resource string `json:"resource,omitempty"`
}

type theirPlace struct {
	Selector  map[string]any  `json:"selector,omitempty"`
	Reference *theirReference `json:"reference,omitempty"`
	Template  *theirTemplate  `json:"template,omitempty"`
	Namespace *theirPlace     `json:"namespace,omitempty"`
}

type theirReference struct {
	Path  string      `json:"path"`
	Regex *theirRegex `json:"regex,omitempty"`
}

type theirSync struct {
	Enabled bool `json:"enabled"`
}
