package v1

// Content defines which parts of the source are copied. What is never copied cannot be chosen.
type Content struct {
	// labels defines which labels of the source are copied. Labels of the overlay are always added.
	// +optional
	Labels KeyFilter `json:"labels,omitzero"`

	// annotations defines which annotations of the source are copied. Annotations of the overlay are always added.
	// +optional
	Annotations KeyFilter `json:"annotations,omitzero"`

	// data defines which keys of a ConfigMap or Secret are copied, and what they are called in the copies.
	// +optional
	Data DataFilter `json:"data,omitzero"`

	// fields defines which other fields of the source are copied. In the copies, a field that is not copied belongs to the client that
	// sets it.
	// +optional
	Fields FieldFilter `json:"fields,omitzero"`
}

// KeyFilter defines which keys are copied: those that include matches, except for those that exclude matches.
type KeyFilter struct {
	// include lists the keys that are copied, such as "app.kubernetes.io/name" or "example.com/*", in which * stands for any characters.
	// If it is absent or empty, all keys are copied.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Include []KeyPattern `json:"include,omitempty"`

	// exclude lists the keys that are not copied, even if include matches them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Exclude []KeyPattern `json:"exclude,omitempty"`
}

// DataFilter defines which keys of data and binaryData are copied: those that include matches, except for those that exclude matches.
type DataFilter struct {
	// include lists the keys that are copied, such as "tls.crt" or "*.pem", in which * stands for any characters. A key without *
	// has to exist, unless allowMissing is set. If include is absent or empty, all keys are copied.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Include []KeyPattern `json:"include,omitempty"`

	// exclude lists the keys that are not copied, even if include matches them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Exclude []KeyPattern `json:"exclude,omitempty"`

	// rename gives keys other names in the copies. The first entry that matches a key of the source names it; other keys keep
	// their names.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Rename []KeyRename `json:"rename,omitempty"`

	// allowMissing lets the operator write copies even if the source lacks keys that include or rename names. Otherwise the copies
	// stay as they are until the source has these keys.
	// +optional
	AllowMissing bool `json:"allowMissing,omitempty"`
}

// FieldFilter defines which fields are copied: those at or below a path of include, except for those at or below a path of exclude.
type FieldFilter struct {
	// include lists the paths of the fields that are copied, with everything below them. If it is absent or empty, all fields are copied.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Include []ContentPath `json:"include,omitempty"`

	// exclude lists the paths of the fields that are not copied, even if include has them. A field that was copied before keeps its
	// value in the copies. A path that leads nowhere has no effect.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	Exclude []ContentPath `json:"exclude,omitempty"`
}

// CopiesAll reports whether all fields are copied.
func (f FieldFilter) CopiesAll() bool { return len(f.Include)+len(f.Exclude) == 0 }

// ContentPath is the path of a field, such as spec.template.spec.containers[name=web].image.
//
// +kubebuilder:validation:MaxLength=512
// +kubebuilder:validation:XValidation:rule="self.matches(r'^[A-Za-z_$][-A-Za-z0-9_$]*(\\.[A-Za-z_$][-A-Za-z0-9_$]*|\\[\"[^\"\\\\]+\"\\]|\\[\\*\\]|\\[[A-Za-z][A-Za-z0-9]*=[^],=\"\\[]+(,[A-Za-z][A-Za-z0-9]*=[^],=\"\\[]+)*\\])*$')",reason=FieldValueInvalid,message="this cannot be the path of a field: write names with dots, [\"...\"] for a name with other characters, [*] for all elements of a list, and [name=web] for the elements with this value, like spec.template.spec.containers[name=web].image"
// +kubebuilder:validation:XValidation:rule="!self.matches('^(apiVersion|kind|metadata|status)($|[.\\\\[])')",reason=FieldValueForbidden,message="apiVersion, kind, metadata and status cannot be chosen here: choose labels and annotations by content.labels and content.annotations"
type ContentPath = string

// KeyRename gives a key another name in the copies. Either from or pattern is set.
//
// +kubebuilder:validation:XValidation:rule="has(self.from) != has(self.pattern)",reason=FieldValueInvalid,fieldPath=.from,message="an entry of rename names one key in from, or matches keys by pattern: set one of the two"
// +kubebuilder:validation:XValidation:rule="has(self.pattern) || !self.to.matches('[${}]')",reason=FieldValueInvalid,fieldPath=.to,message="$1 stands for a group of pattern, and there is no pattern: write a key without $, { and }"
type KeyRename struct {
	// from is the key in the source. It has to exist, unless allowMissing is set.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._A-Za-z0-9]+$')",reason=FieldValueInvalid,message="this cannot be a key of a ConfigMap or Secret: write letters, digits, \"-\", \"_\" and \".\""
	From string `json:"from,omitempty"`

	// pattern is a regular expression in the syntax of RE2 that the whole key in the source has to match.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self != ''",reason=FieldValueRequired,message="write a regular expression such as \"(.*)[.]pem\", or remove pattern and name the key in from"
	// +kubebuilder:validation:XValidation:rule="!self.contains('{')",reason=FieldValueForbidden,message="a repetition with a count can cost too much: write + or * instead of {...}"
	// +kubebuilder:validation:XValidation:rule="self.contains('{') || ''.matches(self) || !''.matches(self)",reason=FieldValueInvalid,message="this is not a regular expression in the syntax of RE2"
	Pattern string `json:"pattern,omitempty"`

	// to is the key in the copies. After a pattern, $1 or ${1} stands for what its first group matches.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._A-Za-z0-9${}]+$')",reason=FieldValueInvalid,message="this cannot be a key of a ConfigMap or Secret: write letters, digits, \"-\", \"_\" and \".\", and $1 for what the first group of pattern matches"
	To string `json:"to"`
}

// KeyPattern is a key in which * stands for any characters, or none.
//
// +kubebuilder:validation:MaxLength=317
// +kubebuilder:validation:XValidation:rule="self.matches('^[-._/A-Za-z0-9*]+$')",reason=FieldValueInvalid,message="this cannot be the pattern of a key: write a key such as \"app\", or one with * for any characters, such as \"app.kubernetes.io/*\""
type KeyPattern = string
