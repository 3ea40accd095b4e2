package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// named is an object that the arguments of a command name.
type named struct {
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
	name     string
}

// ruleKind returns the kind of the rule that the object is, if it is one.
func (n named) ruleKind() (owner.RuleKind, bool) { return access.KindOf(n.resource.GroupResource()) }

// typeError says what is wrong with a type that was asked for.
type typeError string

func (e typeError) Error() string { return string(e) }

var errArguments = errors.New("name one object as TYPE/NAME or TYPE NAME, such as configmap/app-config")

// parseObject returns the object that the arguments name as kubectl takes them: TYPE/NAME or TYPE NAME.
func parseObject(mapper meta.RESTMapper, args []string) (named, error) {
	var resourceType, name string
	switch len(args) {
	case 1:
		var found bool
		if resourceType, name, found = strings.Cut(args[0], "/"); !found {
			return named{}, errArguments
		}
	case 2:
		resourceType, name = args[0], args[1]
	}
	if resourceType == "" || name == "" || strings.Contains(name, "/") {
		return named{}, errArguments
	}
	full, partial := schema.ParseResourceArg(strings.ToLower(resourceType))
	var resource schema.GroupVersionResource
	err := errNoResource
	if full != nil {
		resource, err = mapper.ResourceFor(*full)
	}
	if err != nil {
		resource, err = mapper.ResourceFor(partial.WithVersion(""))
	}
	if err != nil {
		return named{}, unmapped(err, resourceType)
	}
	kind, err := mapper.KindFor(resource)
	if err != nil {
		return named{}, err
	}
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return named{}, err
	}
	if _, isRule := access.KindOf(mapping.Resource.GroupResource()); !isRule && mapping.Scope.Name() != meta.RESTScopeNameNamespace {
		return named{}, typeError("a " + kind.Kind + " belongs to no namespace, so that no rule copies it")
	}
	return named{mapping.Resource, kind, name}, nil
}

var errNoResource = errors.New("no resource")

// ruleTypes are the names by which users call rules, without an s.
var ruleTypes = []string{"projection", "clusterprojection", "proj", "cproj"}

func unmapped(err error, resourceType string) error {
	if typed := strings.ToLower(resourceType); meta.IsNoMatchError(err) && slices.Contains(ruleTypes, strings.TrimSuffix(typed, "s")) {
		return access.ErrNotInstalled
	}
	if meta.IsNoMatchError(err) {
		return typeError(fmt.Sprintf("the server doesn't have a resource type %q", resourceType))
	}
	return err
}
