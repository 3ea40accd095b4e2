package definition

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
)

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=projections.projection.sh;clusterprojections.projection.sh,verbs=get

const (
	// readTimeout is how long a read of the definition may take. Reconciles of the kind wait for the read.
	readTimeout = 5 * time.Second
	// settled is how long after a change all API servers use the new definition. Until then an API server may serve a rule
	// without the fields that the definition has added.
	settled = 5 * time.Second
)

// Definition is what is known of the CustomResourceDefinition of one kind of rules. It is read when it is first asked for,
// and again by Changed. A definition that cannot be read is read again after an interval, and may have any field until then. One that the operator
// was never allowed to read is also read when it is asked for within an interval of the first refusal: permission often comes just after the start.
type Definition struct {
	reader client.Reader
	name   string
	fields *Fields
	// statusFields are the fields of the status in this version.
	statusFields map[string]bool
	retry        time.Duration
	clock        func() time.Time

	mu      sync.Mutex
	fresh   bool      // the definition was read after its last change
	next    time.Time // when to read again a definition that could not be read
	unread  string    // why the definition could not be read
	denied  bool      // the operator is not allowed to read it
	unknown []string  // paths of fields that the definition had when it was read last, and that this program does not know
	began   bool      // the definition was read at least once
	first   time.Time // when the operator was first not allowed to read it
	changed time.Time // when unknown changed last
	// status is what the definition said of the status when it was read last.
	status statusSchema
}

// New returns the definition of the kind, whose objects have the type of the rule. After a failure, it is read again when the
// interval retry has passed.
func New(reader client.Reader, kind string, rule client.Object, retry time.Duration) *Definition {
	fields := FieldsOf(reflect.TypeOf(rule).Elem())
	known := map[string]bool{}
	for name := range fields.named["status"].named {
		known[name] = true
	}
	return &Definition{
		reader:       reader,
		name:         strings.ToLower(kind) + "s." + v1.GroupVersion.Group,
		fields:       fields.named["spec"],
		statusFields: known,
		retry:        retry,
		clock:        time.Now,
	}
}

// AllFieldsKnown reports whether this program was built with every field that rules can use.
func (d *Definition) AllFieldsKnown(ctx context.Context) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.fresh && !d.clock().Before(d.next) {
		d.read(ctx)
	}
	return d.fresh && len(d.unknown) == 0
}

// IsUncertain reports whether the last read found fields that this program was not built with, or failed.
func (d *Definition) IsUncertain() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.unread != "" || len(d.unknown) > 0
}

// Changed reads the definition again, and reports whether all rules have to be reconciled: the unknown fields have changed,
// now or within the time in which API servers settle, or the definition cannot be read.
func (d *Definition) Changed(ctx context.Context) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fresh = false
	d.read(ctx)
	return !d.fresh || d.clock().Sub(d.changed) < settled
}

// Unknown returns the paths of the fields that the rule uses and this program was not built with.
func (d *Definition) Unknown(rule *unstructured.Unstructured) []string {
	return below(d.fields.Unknown(rule.Object["spec"]))
}

func below(paths []string) []string {
	for i := range paths {
		paths[i] = "spec" + paths[i]
	}
	return paths
}

func (d *Definition) read(ctx context.Context) {
	unknown, status, err := d.ask(ctx)
	if err != nil {
		now := d.clock()
		d.next, d.denied = now.Add(d.retry), apierrors.IsForbidden(err)
		if d.denied && d.first.IsZero() {
			d.first = now
		}
		if d.denied && !d.began && now.Sub(d.first) < d.retry { // no reconcile after the next one might complete the statuses
			d.next = now
		}
		if ctx.Err() == nil && d.unread != err.Error() {
			d.unread = err.Error()
			log.Log.Info("Cannot read the CustomResourceDefinition, so it may have fields that this version of the operator does not know. "+
				"Every reconcile of the kind reads its rule once more. Let the operator get the definition", "definition", d.name, "reason", d.unread)
		}
		return
	}
	if d.began && !slices.Equal(unknown, d.unknown) {
		d.changed = d.clock()
	}
	if !slices.Equal(unknown, d.unknown) && len(unknown) > 0 {
		log.Log.Info("The CustomResourceDefinition has fields that this version of the operator does not know. "+
			"Rules that use them are not served. Upgrade the operator", "definition", d.name, "fields", unknown)
	}
	d.fresh, d.unread, d.unknown, d.began = true, "", unknown, true
	d.status = status
}

// ask returns the fields that the definition has and this program does not know, and what it says of the status.
func (d *Definition) ask(ctx context.Context) (unknown []string, status statusSchema, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	definition := &unstructured.Unstructured{}
	definition.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	if err := d.reader.Get(ctx, client.ObjectKey{Name: d.name}, definition); err != nil {
		return nil, statusSchema{}, err
	}
	properties, err := propertiesOf(definition)
	if err != nil {
		return nil, statusSchema{}, err
	}
	spec, _, err := unstructured.NestedMap(properties, "spec")
	if err != nil {
		return nil, statusSchema{}, fmt.Errorf("the definition cannot be understood: %w", err)
	}
	return below(d.fields.Unknown(sample(spec))), statusSchemaOf(properties), nil
}

// propertiesOf returns the schemas of the fields of an object, in the version that this program speaks.
func propertiesOf(definition *unstructured.Unstructured) (map[string]any, error) {
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil {
		return nil, fmt.Errorf("the definition cannot be understood: %w", err)
	}
	for _, version := range versions {
		version, ok := version.(map[string]any)
		if !ok || version["name"] != v1.GroupVersion.Version {
			continue
		}
		properties, found, err := unstructured.NestedMap(version, "schema", "openAPIV3Schema", "properties")
		if _, specified := properties["spec"]; found && specified || err != nil {
			return properties, err
		}
	}
	return nil, errors.New("the definition has no schema of the version " + v1.GroupVersion.Version)
}
