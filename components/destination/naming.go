package destination

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

// Naming gives the copies of a rule their names. It is safe for concurrent use.
type Naming struct {
	fixed      string
	expression *expressions.Name // nil: all copies have the fixed name
	text       string
	kind       schema.GroupKind // of the copies
	known      *TargetTexts
}

// NamingOf returns the naming of a rule of the tenant. An error says that the rule has an expression that cannot be compiled.
func (with Rendering) NamingOf(tenant string, spec owner.Spec) (*Naming, error) {
	naming := &Naming{fixed: spec.Name, text: spec.NameExpression, kind: spec.KindOfCopies(), known: with.KnownNames}
	if spec.NameExpression == "" {
		return naming, nil
	}
	var err error
	if naming.expression, err = expressions.CompileName(tenant, spec.NameExpression, with.Timing); err != nil {
		return nil, &mutations.InputError{Message: nameField + ": " + err.Error()}
	}
	return naming, nil
}

// CheckName returns an error if the expression for the name, if there is one, cannot be compiled. The tenant is the namespace of the rule.
func CheckName(tenant, expression string) error {
	if expression == "" {
		return nil
	}
	_, err := expressions.CompileName(tenant, expression, expressions.Timing{})
	return err
}

// nameField is the field of a rule with the expression.
const nameField = "destination.nameExpression"

// DependsOnTarget reports whether copies of one source can have different names.
func (n *Naming) DependsOnTarget() bool { return n.expression != nil && n.expression.Names().Target }

// Of returns the naming of the copies of a source. Of the source, only the name, the namespace and the labels count.
func (n *Naming) Of(source metav1.Object) *SourceNaming {
	if n.expression == nil {
		return &SourceNaming{naming: n}
	}
	seen := &metav1.ObjectMeta{Name: source.GetName(), Namespace: source.GetNamespace(), Labels: source.GetLabels()}
	return &SourceNaming{naming: n, source: seen, fingerprint: n.fingerprint(seen)}
}

// SourceNaming gives the copies of one source their names. It holds no content of the source. It is safe for concurrent use.
type SourceNaming struct {
	naming *Naming
	source metav1.Object
	// fingerprint is a hash of all that the names depend on besides the target.
	fingerprint string
}

// In returns the name of the copy in a target. An error is a RenderError; it concerns all targets unless names depend on the target.
func (s *SourceNaming) In(target Target) (string, error) {
	n := s.naming
	switch evaluate := func() (string, error) { return n.evaluate(s.source, target) }; {
	case n.expression == nil:
		return n.fixed, nil
	case n.DependsOnTarget():
		return n.known.of(s.fingerprint, target, evaluate)
	default:
		return n.known.ofAll(s.fingerprint, evaluate)
	}
}

// DependsOnTarget reports whether the copies of the source can have different names.
func (s *SourceNaming) DependsOnTarget() bool { return s.naming.DependsOnTarget() }

// Gives reports whether the copy in a target has the name, by an expression of that text; an error says that it cannot be known. Nothing is
// remembered of it.
func (s *SourceNaming) Gives(name string, target Target, expression string) (bool, error) {
	if s.naming.text != expression {
		return false, &RenderError{Message: nameField + " was edited"}
	}
	given, err := s.naming.evaluate(s.source, target)
	return given == name, err
}

func (n *Naming) evaluate(source metav1.Object, target Target) (string, error) {
	name, err := n.expression.Of(source, expressions.Target{Name: target.Namespace, Labels: target.Labels, Annotations: target.Annotations})
	if err != nil {
		return "", &RenderError{Message: nameField + ": " + err.Error(), Retry: expressions.IsPutOff(err)}
	}
	if wrong := n.wrongWith(name); wrong != "" {
		return "", &RenderError{Message: fmt.Sprintf("%s results in %q, which cannot be the name of an object: %s", nameField, shortened(name), wrong)}
	}
	return name, nil
}

const (
	// maxName is how long the name of an object may be.
	maxName = 253
	// shownName is how much of a text that is no name is shown.
	shownName = 100
)

func shortened(name string) string {
	if len(name) <= shownName {
		return name
	}
	return strings.ToValidUTF8(name[:shownName], "") + "..."
}

// wrongWith says why no copy can have the name; empty: it can. Names of some kinds have to meet more than that, such as those of Services; the API
// server tells.
func (n *Naming) wrongWith(name string) string {
	problems := validation.NameIsDNSSubdomain(name, false)
	if n.kind.Group == "rbac.authorization.k8s.io" {
		problems = content.IsPathSegmentName(name)
	}
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxName:
		return fmt.Sprintf("it has more than %d characters", maxName)
	case len(problems) > 0:
		return problems[0]
	}
	return ""
}

func (n *Naming) fingerprint(source metav1.Object) string {
	text, _ := json.Marshal([]any{n.text, n.kind, source.GetName(), source.GetNamespace(), source.GetLabels()}) //nolint:errchkjson // texts can be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
