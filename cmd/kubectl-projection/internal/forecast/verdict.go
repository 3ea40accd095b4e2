package forecast

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// State says how far a rule has what it wants of one source in one namespace.
type State string

// States.
const (
	InSync    State = "InSync"    // the copy has the content that the rule wants now
	Exists    State = "Exists"    // the copy only has to exist, and does
	OutOfSync State = "OutOfSync" // the copy has other content
	Missing   State = "Missing"   // there is nothing in the place of the copy
	Foreign   State = "Foreign"   // the object in the place of the copy is no copy of the rule
	NotTarget State = "NotTarget" // the rule wants no copy in the namespace
	Blocked   State = "Blocked"   // the namespace cannot have its copy now
	Refused   State = "Refused"   // the rule wants no copy, or cannot be carried out
	Unknown   State = "Unknown"   // the caller may not read what decides it
)

// HasCopy reports whether there is a copy of the rule.
func (s State) HasCopy() bool { return s == InSync || s == Exists || s == OutOfSync }

// Reasons that are none of the operator.
const (
	ReasonNamespaceNotFound    = "NamespaceNotFound"
	ReasonNamespaceTerminating = "NamespaceTerminating"
	ReasonNamespaceExcluded    = "NamespaceExcluded"
	ReasonNotSelected          = "NotSelected"
	ReasonNotListed            = "NotListed"
	ReasonPlaceOfSource        = "PlaceOfSource"
)

// Object names an object.
type Object struct {
	// Cluster is the RemoteCluster in which the object is; empty: it is in this cluster.
	Cluster   string `json:"cluster,omitempty"`
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// ObjectOf names the object of the kind.
func ObjectOf(kind schema.GroupKind, at types.NamespacedName) Object {
	return Object{Group: kind.Group, Kind: kind.Kind, Namespace: at.Namespace, Name: at.Name}
}

// SourceOf names the source.
func SourceOf(ref v1.SourceRef) Object {
	return ObjectOf(ref.GroupKind(), types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name})
}

func (o Object) String() string {
	text := o.Kind + " " + o.Namespace + "/" + o.Name
	if o.Name == "" { // a selector selects several
		text = o.Kind + " objects in " + o.Namespace
	}
	if o.Cluster != "" {
		text += " in the cluster " + o.Cluster
	}
	return text
}

// Verdict is what a rule wants of one source in one namespace, and what is there.
type Verdict struct {
	State  State  `json:"state"`
	Source Object `json:"source"`
	// Namespace is that of the copy.
	Namespace string `json:"namespace,omitempty"`
	// Copy is the place of the copy; nil: there is to be none, or its name is not known.
	Copy *Object `json:"copy,omitempty"`
	// Reason is empty if all is well.
	Reason string `json:"reason,omitempty"`
	// Message is a sentence. It quotes no value of an object.
	Message string `json:"message,omitempty"`
	// Next is what to do; empty: nothing, or that is not known.
	Next string `json:"next,omitempty"`

	// keepsCopies reports whether the copies stay as they are until the rule is carried out.
	keepsCopies bool
	// endsDropped reports whether those in namespaces that are no targets do not.
	endsDropped bool
}

func refused(reason, message, next string) Verdict {
	return Verdict{State: Refused, Reason: reason, Message: message, Next: next}
}

// isAbsence reports whether the source does not exist.
func (v Verdict) isAbsence() bool {
	return v.Reason == v1.ReasonSourceNotFound || v.Reason == v1.ReasonSourceDeleted
}

func unknown(message string) Verdict { return Verdict{State: Unknown, Message: message} }

// GroupKind returns the kind of the object.
func (o Object) GroupKind() schema.GroupKind { return schema.GroupKind{Group: o.Group, Kind: o.Kind} }
