package fleet

import (
	"context"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1ac "k8s.io/client-go/applyconfigurations/coordination/v1"
)

// Suitability says whether an API server checks what writes rely on.
type Suitability int

// Kinds of suitability.
const (
	// SuitabilityUnknown: the API server was not asked yet.
	SuitabilityUnknown Suitability = iota
	// Suitable: it checks the resourceVersion of an apply.
	Suitable
	// Unsuitable: it does not.
	Unsuitable
	// NotAskable: the lease is not possible with which to ask.
	NotAskable
)

const (
	// anyVersion is the resourceVersion with which an apply creates an object, and never changes one.
	anyVersion = "1"
	// absentSuffix makes the name of a lease that is not there.
	absentSuffix = "-suitability"
	fieldManager = "projection"
)

// plainVersion is that of a release of Kubernetes itself. What others build may store objects elsewhere than in etcd.
var plainVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// Suitability says whether the API server checks what writes rely on.
func (p *Presence) Suitability() Suitability {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.suitable
}

// assess asks whether the API server is suitable, unless its present version was found to be.
func (p *Presence) assess(ctx context.Context) error {
	version := p.options.Version()
	p.mu.Lock()
	known, assessed := p.suitable, p.assessed
	p.mu.Unlock()
	switch {
	case known == Suitable && assessed == version:
		return nil
	case p.State().isHeld():
	case known == SuitabilityUnknown:
		p.judge(NotAskable, "") // it is asked once the lease is held
		return nil
	default:
		return nil
	}
	found, err := p.askSuitable(ctx)
	if err != nil {
		return err
	}
	p.judge(found, version)
	return nil
}

// askSuitable applies, without a change, what has to be a conflict onto the lease, and to be created where there is none.
func (p *Presence) askSuitable(ctx context.Context) (Suitability, error) {
	if err := p.dryApply(ctx, p.options.Name); !apierrors.IsConflict(err) {
		return judgement(err)
	}
	err := p.dryApply(ctx, p.options.Name+absentSuffix)
	if err == nil {
		return Suitable, nil
	}
	return judgement(err)
}

// judgement returns what it means that an apply was not answered as it has to be.
func judgement(err error) (Suitability, error) {
	switch {
	case apierrors.IsForbidden(err):
		return NotAskable, nil
	case err == nil || apierrors.IsConflict(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		return Unsuitable, nil
	default:
		return SuitabilityUnknown, err
	}
}

func (p *Presence) dryApply(ctx context.Context, name string) error {
	lease := coordinationv1ac.Lease(name, p.options.Namespace).WithResourceVersion(anyVersion).
		WithSpec(coordinationv1ac.LeaseSpec().WithHolderIdentity(p.options.Holder))
	_, err := p.options.Leases.Apply(ctx, lease, metav1.ApplyOptions{FieldManager: fieldManager, Force: true, DryRun: []string{metav1.DryRunAll}})
	return err
}

// judge notes what is known of the API server in that version.
func (p *Presence) judge(found Suitability, version string) {
	p.mu.Lock()
	isNew := p.suitable != found
	p.suitable, p.assessed = found, version
	p.mu.Unlock()
	if isNew {
		p.options.Changed()
	}
}

// isBelieved reports whether an API server is taken for a suitable one that cannot be asked.
func (p *Presence) isBelieved() bool { return plainVersion.MatchString(p.options.Version()) }
