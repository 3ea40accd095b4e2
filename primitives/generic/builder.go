package generic

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// BaseBuilder collects what all resources have in common. Builders embed it and call InitBase first.
type BaseBuilder[T client.Object, M MutatorApplier] struct {
	// BaseRes is the resource that is being built.
	BaseRes *BaseResource[T, M]

	clusterScoped bool
	identified    bool
}

// InitBase starts a resource from its baseline. Unless told otherwise it never blocks, and its suspension changes
// nothing, deletes nothing and is Suspended at once.
func (b *BaseBuilder[T, M]) InitBase(obj T, identityFunc func(T) string, newMutator func(T) M) {
	b.BaseRes = &BaseResource[T, M]{
		DesiredObject:          obj,
		IdentityFunc:           identityFunc,
		NewMutator:             newMutator,
		SuspendMutationHandler: func(M) error { return nil },
		SuspendStatusHandler: func(T) (concepts.SuspensionStatusWithReason, error) {
			return concepts.SuspensionStatusWithReason{
				Status: concepts.SuspensionStatusSuspended,
				Reason: "default suspension status",
			}, nil
		},
	}
}

// WithMutation adds mutations in the order given.
func (b *BaseBuilder[T, M]) WithMutation(ms ...Mutation[M]) {
	b.BaseRes.Mutations = append(b.BaseRes.Mutations, ms...)
}

// WithGuard sets the guard; nil removes it.
func (b *BaseBuilder[T, M]) WithGuard(guard func(T) (concepts.GuardStatusWithReason, error)) {
	b.BaseRes.GuardHandler = guard
}

// WithDataExtractor adds an extractor; nil is ignored.
func (b *BaseBuilder[T, M]) WithDataExtractor(extractor func(T) error) {
	if extractor != nil {
		b.BaseRes.DataExtractors = append(b.BaseRes.DataExtractors, extractor)
	}
}

// WithCustomSuspendStatus replaces the handler that tells how far the suspension is.
func (b *BaseBuilder[T, M]) WithCustomSuspendStatus(handler func(T) (concepts.SuspensionStatusWithReason, error)) {
	b.BaseRes.SuspendStatusHandler = handler
}

// WithCustomSuspendMutation replaces the handler that suspends the object.
func (b *BaseBuilder[T, M]) WithCustomSuspendMutation(handler func(M) error) {
	b.BaseRes.SuspendMutationHandler = handler
}

// WithCustomSuspendDeletionDecision sets the handler that reports whether the object is deleted once suspended.
func (b *BaseBuilder[T, M]) WithCustomSuspendDeletionDecision(handler func(T) bool) {
	b.BaseRes.DeleteOnSuspendHandler = handler
}

// WithMetricsIdentifier names the resource in metrics, where otherwise its kind stands. A blank name is reported by
// ValidateBase.
func (b *BaseBuilder[T, M]) WithMetricsIdentifier(identifier string) {
	b.BaseRes.MetricsIdent, b.identified = identifier, true
}

// MarkClusterScoped declares that the kind has no namespace; the object then must not have one.
func (b *BaseBuilder[T, M]) MarkClusterScoped() { b.clusterScoped = true }

// ValidateBase returns the first fault of the resource: object, name, namespace, identity function, name in metrics, mutator
// factory, declared data, names of mutations. It evaluates no gate.
func (b *BaseBuilder[T, M]) ValidateBase() error {
	resource := b.BaseRes
	if err := b.validateObject(); err != nil {
		return err
	}
	if resource.IdentityFunc == nil {
		return errors.New("identity function cannot be nil")
	}
	if b.identified && strings.TrimSpace(resource.MetricsIdent) == "" {
		return errors.New("metrics identifier cannot be blank")
	}
	if resource.NewMutator == nil {
		return errors.New("mutator factory cannot be nil")
	}
	if err := resource.validateData(); err != nil {
		return err
	}
	return uniqueNames(resource.Mutations)
}

func (b *BaseBuilder[T, M]) validateObject() error {
	object := b.BaseRes.DesiredObject
	if isNil(object) {
		return errors.New("object cannot be nil")
	}
	if object.GetName() == "" {
		return errors.New("object name cannot be empty")
	}
	namespaced := object.GetNamespace() != ""
	if b.clusterScoped && namespaced {
		return errors.New("cluster-scoped object must not have a namespace")
	}
	if !b.clusterScoped && !namespaced {
		return errors.New("object namespace cannot be empty")
	}
	return nil
}

func uniqueNames[M any](mutations []Mutation[M]) error {
	for i, mutation := range mutations { // there are few: a set would cost more
		if slices.ContainsFunc(mutations[:i], func(earlier Mutation[M]) bool { return earlier.Name == mutation.Name }) {
			return fmt.Errorf("duplicate mutation name %q: mutation names must be unique within a resource", mutation.Name)
		}
	}
	return nil
}

func isNil(pointer any) bool {
	value := reflect.ValueOf(pointer)
	return !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil()
}
