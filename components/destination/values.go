package destination

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
	unstructuredkit "projection.sh/operator/primitives/unstructured"
)

// values are the values of fields that can be different for each target.
type values struct {
	// evaluate evaluates, once, what all targets share. It is not called for copies that are in sync.
	evaluate func() (*expressions.Values, error)
	source   expressions.Source
	// fingerprint is a hash of all that the values depend on besides the target.
	fingerprint string
	known       *TargetTexts
}

// RenderError says that no copy can be made for one target.
type RenderError struct {
	Message string
	// Retry reports whether the next reconcile may succeed: this one has spent its time on other targets.
	Retry bool
	// Taken reports whether another source of the rule has the copy of that name.
	Taken bool
}

func (e *RenderError) Error() string { return e.Message }

// CheckOverlay returns an error if what the rule sets can be set in no object: a path, or an expression. The tenant is the namespace of the
// rule.
func CheckOverlay(tenant string, overlay v1.Overlay) error {
	for _, field := range overlay.Fields {
		if err := mutations.CheckPath(field.Path); err != nil {
			return err
		}
	}
	_, err := expressions.CompileFields(tenant, listOf(overlay, false))
	return err
}

// NamesOf returns what the expressions of the rule name. If one cannot be compiled, they name nothing.
func NamesOf(tenant string, spec owner.Spec) expressions.Names {
	compiled, err := expressions.CompileFields(tenant, listOf(spec.Overlay, false))
	if err != nil {
		return expressions.Names{}
	}
	if spec.NameExpression == "" {
		return compiled.Names()
	}
	name, err := expressions.CompileName(tenant, spec.NameExpression, expressions.Timing{})
	if err != nil {
		return expressions.Names{}
	}
	return compiled.Names().Or(name.Names())
}

func listOf(overlay v1.Overlay, hasKeys bool) []expressions.Field {
	fields := make([]expressions.Field, len(overlay.Fields))
	for i, field := range overlay.Fields {
		fields[i] = expressions.Field{Path: field.Path, Expression: field.Expression, Data: hasKeys && isKeyPath(field.Path)}
	}
	return fields
}

// isKeyPath reports whether the path is at or below the keys of a ConfigMap or Secret.
func isKeyPath(path string) bool {
	field, _, _ := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
	return field == "data" || field == "binaryData"
}

// setFields sets the fields of the rule. If their values are the same for all targets, the template has them. Nothing is evaluated if the hash
// is remembered.
func (r *Renderer) setFields(source *unstructured.Unstructured, tenant string, spec owner.Spec, with Rendering) error {
	if len(spec.Overlay.Fields) == 0 {
		return nil
	}
	list := listOf(spec.Overlay, mutations.IsReplaceable(r.input.KindOfCopies()))
	compiled, err := expressions.CompileFields(tenant, list)
	if err != nil {
		return &mutations.InputError{Message: err.Error()}
	}
	set := &values{source: r.asSeen(source), known: with.Known}
	set.evaluate = sync.OnceValues(func() (*expressions.Values, error) {
		evaluated, err := compiled.Evaluate(set.source, with.Timing)
		return evaluated, sourceError(set.source, err)
	})
	if set.fingerprint, err = r.fingerprint(list, set.source); err != nil {
		return err
	}
	if compiled.Names().Target {
		r.values = set
		_, err := with.Known.ofAll(set.fingerprint, func() (string, error) {
			_, err := set.evaluate()
			return "", err
		})
		return err
	}
	r.complete = sync.OnceValues(func() (*Renderer, error) { return r.withShared(set, source, spec.Name) })
	r.hash, err = with.Known.ofAll(set.fingerprint, func() (string, error) {
		complete, err := r.complete()
		if err != nil {
			return "", err
		}
		return complete.hash, nil
	})
	return err
}

// withShared returns the renderer whose template has the values, which are the same for all targets.
func (r *Renderer) withShared(set *values, source *unstructured.Unstructured, name string) (*Renderer, error) {
	evaluated, err := set.evaluate()
	if err != nil {
		return nil, err
	}
	shared, err := evaluated.Of(expressions.Target{})
	if err != nil {
		return nil, sourceError(set.source, err)
	}
	complete := *r
	complete.complete = nil
	complete.input.Values = fieldValues(shared)
	return &complete, complete.renderTemplate(source, name)
}

// sourceError is the error of a rule whose expressions fail for the source.
func sourceError(seen expressions.Source, err error) error {
	switch {
	case err == nil:
		return nil
	case expressions.IsPutOff(err):
		return &RenderError{Message: seen.Describe(err), Retry: true}
	}
	return &mutations.SourceError{Message: seen.Describe(err)}
}

// asSeen returns the source as expressions see it: what is copied of it, with the name, the namespace and the labels that the source has.
func (r *Renderer) asSeen(source *unstructured.Unstructured) expressions.Source {
	metadata := map[string]any{"name": source.GetName(), "namespace": source.GetNamespace()}
	labels := map[string]any{}
	for key, value := range source.GetLabels() {
		labels[key] = value
	}
	annotations := map[string]any{}
	for key, value := range r.template.GetAnnotations() {
		if !strings.HasPrefix(key, v1.Domain+"/") {
			annotations[key] = value
		}
	}
	metadata["labels"], metadata["annotations"] = labels, annotations
	object := maps.Clone(r.template.Object)
	object["metadata"] = metadata
	secret := schema.GroupKind{Kind: "Secret"}
	isSecret := r.input.KindOfCopies() == secret
	return expressions.Source{Object: object, IsSecret: isSecret, Secrecy: isSecret || r.hasSecret()}
}

// fingerprint returns a hash of all that the values depend on besides the target.
func (r *Renderer) fingerprint(list []expressions.Field, seen expressions.Source) (string, error) {
	text, err := json.Marshal([]any{r.hash, list, seen.Object["metadata"], seen.IsSecret, seen.Secrecy, r.input.Kind, r.input.ServerVersion})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// HasValues reports whether the copies of targets can be different.
func (r *Renderer) HasValues() bool { return r.values != nil }

// hashOf returns the content hash of the copy of a target. An error is a RenderError.
func (r *Renderer) hashOf(target Target) (string, error) {
	return r.values.known.of(r.values.fingerprint, target, func() (string, error) {
		set, err := r.valuesOf(target)
		if err != nil {
			return "", err
		}
		if err := mutations.CheckValues(r.input, r.template.Object, set); err != nil {
			return "", &RenderError{Message: err.Error()}
		}
		hash, err := mutations.TargetHash(r.hash, set)
		if err != nil {
			return "", &RenderError{Message: "the values cannot be encoded"}
		}
		return hash, nil
	})
}

// hashBefore returns the content hash that the copy was to have before its namespace was changed; empty: none is known.
func (r *Renderer) hashBefore(namespace string) string {
	if r.values == nil {
		return ""
	}
	return r.values.known.before(r.values.fingerprint, namespace)
}

// valuesOf returns the values for a target. An error is a RenderError.
func (r *Renderer) valuesOf(target Target) ([]mutations.FieldValue, error) {
	evaluated, err := r.values.evaluate()
	if err != nil {
		return nil, err
	}
	set, err := evaluated.Of(expressions.Target{Name: target.Namespace, Labels: target.Labels, Annotations: target.Annotations})
	if err != nil {
		return nil, &RenderError{Message: r.values.source.Describe(err), Retry: expressions.IsPutOff(err)}
	}
	return fieldValues(set), nil
}

func fieldValues(set []expressions.Value) []mutations.FieldValue {
	converted := make([]mutations.FieldValue, len(set))
	for i, value := range set {
		converted[i] = mutations.FieldValue(value)
	}
	return converted
}

// rendered is what makes one copy, and the fields that the rule sets in it.
type rendered struct {
	template  *unstructured.Unstructured
	mutations []unstructuredkit.Mutation
	set       []mutations.FieldValue
}

// render evaluates what has to be evaluated to write the copy. An error is a RenderError, or that of the source.
func (c DesiredCopy) render() (rendered, error) {
	r := c.renderer
	if r.complete != nil {
		complete, err := r.complete()
		if err != nil {
			return rendered{}, err
		}
		r = complete
	}
	if r.values == nil {
		return rendered{r.template, r.mutations, r.input.Values}, nil
	}
	set, err := r.valuesOf(c.target)
	if err != nil {
		return rendered{}, err
	}
	in := r.input
	in.Values, in.ContentHash = set, c.Hash
	_, perTarget := split(mutations.ForDestination(in), mutations.ForTarget(in))
	return rendered{r.template, perTarget, set}, nil
}
