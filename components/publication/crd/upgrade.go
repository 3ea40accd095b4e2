package crd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

type versionSpec = apiextensionsv1.CustomResourceDefinitionVersion

// maxShown is how many changes an error names.
const maxShown = 3

// Upgrade returns an error if objects that are stored, or consumers of the installed definition, may not get on with the wanted one: a version leaves,
// or a field that they may have becomes required, narrower or unknown. What is only for readers may change, and fields, versions and larger limits may be
// added. Upgrade compares schemas, and sees no objects: nil is certain, an error may concern no object that there is.
func Upgrade(installed, wanted *apiextensionsv1.CustomResourceDefinition) error {
	c := &comparison{}
	c.compareNames(installed.Spec, wanted.Spec)
	c.compareVersions(installed, wanted)
	if len(c.changes) == 0 {
		return nil
	}
	shown := c.changes[:min(len(c.changes), maxShown)]
	if more := len(c.changes) - len(shown); more > 0 {
		shown = append(slices.Clone(shown), fmt.Sprintf("and %d more", more))
	}
	return errors.New("the CustomResourceDefinition " + installed.Name + " stays as it is, since objects of consumers could become invalid or lose fields: " +
		strings.Join(shown, "; ") + ". Undo this in the CustomResourceDefinition of the service or in its projection, " +
		"or check the objects and change the CustomResourceDefinition of consumers by hand")
}

// comparison collects what is not safe.
type comparison struct{ changes []string }

func (c *comparison) note(at, format string, arguments ...any) {
	c.changes = append(c.changes, at+": "+fmt.Sprintf(format, arguments...))
}

func (c *comparison) compareNames(was, is apiextensionsv1.CustomResourceDefinitionSpec) {
	for _, name := range []struct{ of, was, is string }{
		{"scope", string(was.Scope), string(is.Scope)},
		{"group", was.Group, is.Group},
		{"kind", was.Names.Kind, is.Names.Kind},
		{"plural", was.Names.Plural, is.Names.Plural},
	} {
		if name.was != name.is {
			c.note(name.of, "it changes from %s to %s", name.was, name.is)
		}
	}
}

// compareVersions compares each version with that of the same name. A version that is new is compared with the one in which objects are stored.
func (c *comparison) compareVersions(installed, wanted *apiextensionsv1.CustomResourceDefinition) {
	var storage *versionSpec
	for i := range installed.Spec.Versions {
		was := &installed.Spec.Versions[i]
		if was.Storage {
			storage = was
		}
		switch is := versionNamed(wanted, was.Name); {
		case is == nil && (was.Storage || slices.Contains(installed.Status.StoredVersions, was.Name)):
			c.note("version "+was.Name, "objects are stored in it, and it leaves")
		case was.Served && (is == nil || !is.Served):
			c.note("version "+was.Name, "it is no longer served")
		}
	}
	for i := range wanted.Spec.Versions {
		is := &wanted.Spec.Versions[i]
		was := versionNamed(installed, is.Name)
		if was != nil {
			c.compareSubresources(was, is)
		} else {
			was = storage
		}
		if was != nil && schemaOf(was) != nil {
			c.compareSchemas(was, is)
		}
	}
}

func (c *comparison) compareSchemas(was, is *versionSpec) {
	within := &comparison{}
	if schemaOf(is) == nil {
		within.note("the object", "it has no schema")
	} else {
		within.compare(schemaOf(was), schemaOf(is), "")
	}
	for _, change := range within.changes {
		c.changes = append(c.changes, "version "+is.Name+", "+change)
	}
}

func (c *comparison) compareSubresources(was, is *versionSpec) {
	at := "version " + is.Name
	if hasStatus(was) != hasStatus(is) {
		c.note(at, "the subresource status comes or leaves")
	}
	if scaleOf(was) != nil && !equality.Semantic.DeepEqual(scaleOf(was), scaleOf(is)) {
		c.note(at, "the subresource scale changes or leaves")
	}
	for _, field := range was.SelectableFields {
		if !slices.Contains(is.SelectableFields, field) {
			c.note(at, "objects can no longer be selected by %s", field.JSONPath)
		}
	}
}

func versionNamed(definition *apiextensionsv1.CustomResourceDefinition, name string) *versionSpec {
	at := slices.IndexFunc(definition.Spec.Versions, func(v versionSpec) bool { return v.Name == name })
	if at < 0 {
		return nil
	}
	return &definition.Spec.Versions[at]
}

func schemaOf(v *versionSpec) *props {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

func hasStatus(v *versionSpec) bool { return v.Subresources != nil && v.Subresources.Status != nil }

func scaleOf(v *versionSpec) *apiextensionsv1.CustomResourceSubresourceScale {
	if v.Subresources == nil {
		return nil
	}
	return v.Subresources.Scale
}
