package component

import (
	"errors"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/feature"
)

// ParticipationMode says whether the health of a resource counts for the condition.
type ParticipationMode string

// The modes of participation.
const (
	ParticipationModeRequired  ParticipationMode = "Required"
	ParticipationModeAuxiliary ParticipationMode = "Auxiliary"
)

// ResourceOption changes what a component does with a resource. Without options a resource is managed: applied, owned,
// and required to be healthy. Which options exclude each other does not depend on the values given to them.
type ResourceOption func(*resourceConfig)

type resourceConfig struct {
	readOnly              bool
	unowned               bool
	auxiliary             bool
	blockOnAbsence        bool
	ignoreIfAbsent        bool
	suppressGraceWarning  bool
	blockOnForeign        bool
	onlyIfOwned           bool
	expectUID             *types.UID
	expectAbsent          bool
	suspend, suspendGiven bool
	omit                  []fieldPath
	recreate              bool
	faults                []error // of the values given to options
	delete, deleteGiven   bool
	orphan, orphanGiven   bool
	gates                 []feature.Gate
}

// ReadOnly makes a resource one that is only read: never applied, owned or deleted.
func ReadOnly() ResourceOption { return func(c *resourceConfig) { c.readOnly = true } }

// Delete has the object deleted instead of applied.
func Delete() ResourceOption { return DeleteWhen(true) }

// DeleteWhen has the object deleted instead of applied when the condition holds. Given several times, one that holds
// is enough.
func DeleteWhen(condition bool) ResourceOption {
	return func(c *resourceConfig) {
		c.deleteGiven = true
		c.delete = c.delete || condition
	}
}

// GatedBy has the object deleted instead of applied while the gate is closed. The gate is asked once, by Build. Nil is
// ignored.
func GatedBy(gate feature.Gate) ResourceOption {
	return func(c *resourceConfig) {
		if gate != nil {
			c.gates = append(c.gates, gate)
		}
	}
}

// OrphanWhen has the object released when the condition holds: it stays, without a reference to the owner. Given
// several times, one that holds is enough.
func OrphanWhen(condition bool) ResourceOption {
	return func(c *resourceConfig) {
		c.orphanGiven = true
		c.orphan = c.orphan || condition
	}
}

// Unowned applies the object without a reference to the owner, so that it outlives the owner and may live in any
// namespace. Its scope is not looked up.
func Unowned() ResourceOption { return func(c *resourceConfig) { c.unowned = true } }

// Auxiliary keeps the health of the resource out of the condition. While it is blocked, it counts nevertheless, because
// it holds up the resources after it.
func Auxiliary() ResourceOption { return func(c *resourceConfig) { c.auxiliary = true } }

// BlockOnAbsence makes a read-only resource that does not exist block the component.
func BlockOnAbsence() ResourceOption { return func(c *resourceConfig) { c.blockOnAbsence = true } }

// IgnoreIfAbsent makes a read-only resource that does not exist count as none. Its data is not extracted.
func IgnoreIfAbsent() ResourceOption { return func(c *resourceConfig) { c.ignoreIfAbsent = true } }

// SuppressGraceInconsistencyWarning silences the log entry about a resource whose grace status is Healthy although it
// has not converged.
func SuppressGraceInconsistencyWarning() ResourceOption {
	return func(c *resourceConfig) { c.suppressGraceWarning = true }
}

// BlockOnForeignController keeps off an object that another object controls: it is neither applied nor deleted, and
// blocks the component. It costs a read before every write.
func BlockOnForeignController() ResourceOption {
	return func(c *resourceConfig) { c.blockOnForeign = true }
}

func newResourceConfig(opts []ResourceOption) (resourceConfig, error) {
	var config resourceConfig
	for _, opt := range opts {
		if opt != nil {
			opt(&config)
		}
	}
	if err := config.validate(); err != nil {
		return config, err
	}
	for _, gate := range config.gates {
		enabled, err := gate.Enabled()
		if err != nil {
			return config, err
		}
		config.delete = config.delete || !enabled
	}
	return config, nil
}

func (c resourceConfig) mode() ParticipationMode {
	if c.auxiliary {
		return ParticipationModeAuxiliary
	}
	return ParticipationModeRequired
}

// contradiction is a pair of options that exclude each other.
type contradiction struct {
	found bool
	text  string
}

// validate returns the first contradiction, and what is wrong with the values of options.
func (c resourceConfig) validate() error {
	for _, contradiction := range append(c.contradictions(), c.moreContradictions()...) {
		if contradiction.found {
			return errors.New(contradiction.text)
		}
	}
	return errors.Join(c.faults...)
}

func (c resourceConfig) contradictions() []contradiction {
	const useInclude = "use IncludeWhen to conditionally include a read-only resource"
	gated := len(c.gates) > 0
	return []contradiction{
		{c.blockOnAbsence && c.ignoreIfAbsent, "resource options BlockOnAbsence and IgnoreIfAbsent are mutually exclusive"},
		{c.blockOnAbsence && !c.readOnly, "resource option BlockOnAbsence requires ReadOnly"},
		{c.ignoreIfAbsent && !c.readOnly, "resource option IgnoreIfAbsent requires ReadOnly"},
		{c.readOnly && c.deleteGiven, "resource option ReadOnly is mutually exclusive with Delete and DeleteWhen; " + useInclude},
		{c.readOnly && gated, "resource option ReadOnly is mutually exclusive with GatedBy; " + useInclude},
		{c.orphanGiven && c.deleteGiven, "resource option OrphanWhen is mutually exclusive with Delete and DeleteWhen"},
		{c.orphanGiven && gated, "resource option OrphanWhen is mutually exclusive with GatedBy"},
		{c.orphanGiven && c.readOnly, "resource option OrphanWhen is mutually exclusive with ReadOnly"},
	}
}

// moreContradictions are those of SuspendWhen, and of options that are about an apply or a deletion.
func (c resourceConfig) moreContradictions() []contradiction {
	const withReadOnly, neverApplied = " is mutually exclusive with ReadOnly", "; a read-only resource is never applied"
	return []contradiction{
		{c.blockOnForeign && c.readOnly, "resource option BlockOnForeignController" + withReadOnly + neverApplied},
		{c.onlyIfOwned && c.readOnly, "resource option OnlyIfOwned" + withReadOnly + "; a read-only resource is never deleted"},
		{c.expectUID != nil && c.readOnly, "resource option ExpectUID" + withReadOnly + neverApplied},
		{c.expectAbsent && c.readOnly, "resource option ExpectAbsent" + withReadOnly + neverApplied},
		{c.expectAbsent && c.expectUID != nil, "resource options ExpectUID and ExpectAbsent are mutually exclusive"},
		{len(c.omit) > 0 && c.readOnly, "resource option OmitFields" + withReadOnly + neverApplied},
		{c.recreate && c.readOnly, "resource option RecreateOnImmutable" + withReadOnly + neverApplied},
		{c.recreate && c.unowned, "resource option RecreateOnImmutable is mutually exclusive with Unowned; only an object that the owner controls is deleted"},
		{c.suspendGiven && c.readOnly, "resource option SuspendWhen" + withReadOnly},
		{c.suspendGiven && c.deleteGiven, "resource option SuspendWhen is mutually exclusive with Delete and DeleteWhen"},
		{c.suspendGiven && c.orphanGiven, "resource option SuspendWhen is mutually exclusive with OrphanWhen"},
	}
}

// fit returns the first option that the resource cannot have.
func (c resourceConfig) fit(resource Resource) error {
	if _, ok := resource.(concepts.Suspendable); c.suspendGiven && !ok {
		return errors.New("resource option SuspendWhen requires a resource that can be suspended")
	}
	if c.recreate {
		return mayRecreate(resource)
	}
	return nil
}
