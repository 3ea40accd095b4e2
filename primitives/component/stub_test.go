package component_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
)

// stub is a static resource around a desired object. Types below add one concept each.
type stub struct {
	object    client.Object
	mutate    func(client.Object) error
	objectErr error
	applied   client.Object
}

var _ component.Resource = (*stub)(nil)

func (s *stub) Object() (client.Object, error) {
	if s.objectErr != nil {
		return nil, s.objectErr
	}
	return s.object.DeepCopyObject().(client.Object), nil
}

func (s *stub) Mutate(current client.Object) error {
	s.applied = current
	if s.mutate != nil {
		return s.mutate(current)
	}
	return nil
}

func (s *stub) Identity() string {
	return fmt.Sprintf("v1/ConfigMap/%s/%s", s.object.GetNamespace(), s.object.GetName())
}

func (w *world) stub(name string, data ...string) *stub {
	return newStub(w.namespace, name, data...)
}

// newStub returns a ConfigMap with the data given as key, value, key, value, ...
func newStub(namespace, name string, data ...string) *stub {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}}
	for i := 0; i+1 < len(data); i += 2 {
		if object.Data == nil {
			object.Data = map[string]string{}
		}
		object.Data[data[i]] = data[i+1]
	}
	return &stub{object: object}
}

type alive struct {
	*stub
	status func(concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error)
}

func (a *alive) ConvergingStatus(op concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
	return a.status(op)
}

// is returns a workload that always reports the status.
func (s *stub) is(status concepts.AliveConvergingStatus, reason string) *alive {
	return &alive{stub: s, status: func(concepts.ConvergingOperation) (concepts.AliveStatusWithReason, error) {
		return concepts.AliveStatusWithReason{Status: status, Reason: reason}, nil
	}}
}

type guarded struct {
	*stub
	guard func() (concepts.GuardStatusWithReason, error)
}

func (g *guarded) GuardStatus() (concepts.GuardStatusWithReason, error) { return g.guard() }

// blocked returns a resource whose guard blocks.
func (s *stub) blocked(reason string) *guarded {
	return &guarded{stub: s, guard: func() (concepts.GuardStatusWithReason, error) {
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: reason}, nil
	}}
}

type extracting struct {
	*stub
	extract func(applied client.Object) error
}

func (e *extracting) ExtractData() error { return e.extract(e.applied) }

func (e *extracting) RecordObservation(observed client.Object) error {
	e.applied = observed
	return nil
}

type suspendable struct {
	*stub
	armed   bool
	deletes bool
	status  concepts.SuspensionStatusWithReason
	failure error
}

func (s *suspendable) DeleteOnSuspend() bool { return s.deletes }

func (s *suspendable) Suspend() error {
	s.armed = true
	return s.failure
}

func (s *suspendable) SuspensionStatus() (concepts.SuspensionStatusWithReason, error) {
	return s.status, nil
}

// Mutate writes a mark into the ConfigMap once it is armed.
func (s *suspendable) Mutate(current client.Object) error {
	if s.armed {
		current.(*corev1.ConfigMap).Data = map[string]string{"suspended": "true"}
	}
	s.armed = false
	return s.stub.Mutate(current)
}

func (s *stub) suspendsAs(status concepts.SuspensionStatus, reason string) *suspendable {
	return &suspendable{stub: s, status: concepts.SuspensionStatusWithReason{Status: status, Reason: reason}}
}

// mapperless is a client without a RESTMapper.
type mapperless struct{ client.Client }

func (mapperless) RESTMapper() meta.RESTMapper { return nil }
