package expressions

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// dialect is the language with two variables: an object, and what its copy depends on besides.
type dialect struct {
	object, target string
	fields         []string // of the target, besides its name, labels and annotations
	hashes         bool     // whether there is the function hash

	load     func() (*loadedEnvironment, error) // the environment, which the first expression builds
	compiled *cache                             // all expressions
}

// The variables of expressions, and the fields of the second one.
const (
	sourceVariable  = "source"
	targetVariable  = "target"
	objectVariable  = "object"
	clusterVariable = "cluster"

	nameField        = "name"
	idField          = "id"
	labelsField      = "labels"
	annotationsField = "annotations"
)

// ofRules is the dialect of rules, and ofPublications that of PublishedResources.
var (
	ofRules        = newDialect(&dialect{object: sourceVariable, target: targetVariable, fields: []string{annotationsField}})
	ofPublications = newDialect(&dialect{
		object: objectVariable, target: clusterVariable, fields: []string{idField}, hashes: true,
	})
)

func newDialect(d *dialect) *dialect {
	d.load, d.compiled = sync.OnceValues(func() (*loadedEnvironment, error) { return newEnvironment(d) }), newCache(maxCompiled)
	return d
}

// has reports whether there is the function besides those of all dialects.
func (d *dialect) has(function string) bool { return d.hashes && function == hashFunction }

// options are those of the environment that not all dialects have.
func (d *dialect) options() []cel.EnvOption {
	if d.hashes {
		return []cel.EnvOption{withHash()}
	}
	return nil
}

// targetType is the type of the second variable.
func (d *dialect) targetType() *apiservercel.DeclType {
	texts := apiservercel.NewMapType(apiservercel.StringType, apiservercel.StringType, -1)
	fields := map[string]*apiservercel.DeclField{
		nameField:   apiservercel.NewDeclField(nameField, apiservercel.StringType, true, nil, nil),
		labelsField: apiservercel.NewDeclField(labelsField, texts, true, nil, nil),
	}
	for _, field := range d.fields {
		of := texts
		if field == idField {
			of = apiservercel.StringType
		}
		fields[field] = apiservercel.NewDeclField(field, of, true, nil, nil)
	}
	return apiservercel.NewObjectType("projection."+d.target, fields)
}

// valueOf returns the second variable.
func (d *dialect) valueOf(target Target) map[string]any {
	value := map[string]any{nameField: target.Name, labelsField: emptyIfNil(target.Labels)}
	for _, field := range d.fields {
		switch field {
		case idField:
			value[field] = target.ID
		case annotationsField:
			value[field] = emptyIfNil(target.Annotations)
		}
	}
	return value
}

// hashDigits is how many hexadecimal digits the function hash gives.
const hashDigits = 12

// withHash has the function hash, which gives digits of the SHA-256 of a text.
func withHash() cel.EnvOption {
	return cel.Function(hashFunction, cel.Overload("hash_string", []*cel.Type{cel.StringType}, cel.StringType, cel.UnaryBinding(func(value ref.Val) ref.Val {
		text, isText := value.(types.String)
		if !isText {
			return types.MaybeNoSuchOverloadErr(value)
		}
		sum := sha256.Sum256([]byte(text))
		return types.String(hex.EncodeToString(sum[:])[:hashDigits])
	})))
}

const hashFunction = "hash"
