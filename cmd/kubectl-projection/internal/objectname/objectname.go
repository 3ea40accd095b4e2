// Package objectname has the names of objects: which the API server can know, and how kubectl takes them.
package objectname

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var valid = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.:_-]{0,252}$`)

// IsValid reports whether an object, kind or group can have the name. Who can edit an object can write other texts into its annotations.
func IsValid(name string) bool { return valid.MatchString(name) }

// Argument returns an object as kubectl takes it as an argument.
func Argument(kind schema.GroupKind, name string) string {
	if kind.Group == "" {
		return strings.ToLower(kind.Kind) + "/" + name
	}
	return strings.ToLower(kind.Kind) + "." + kind.Group + "/" + name
}
