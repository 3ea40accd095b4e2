package fleet

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// FenceKind says whether a lease keeps other processes from writing.
type FenceKind int

// Kinds of fences.
const (
	// NotAsked: nothing is known.
	NotAsked FenceKind = iota
	// LeaseHeld: this process holds the lease.
	LeaseHeld
	// HeldByAnother: another process holds it.
	HeldByAnother
	// LeaseNotPermitted: the credentials permit no lease.
	LeaseNotPermitted
	// HomeMissing: the namespace of the lease does not exist.
	HomeMissing
)

// Fence is how it is with the lease.
type Fence struct {
	Kind FenceKind
	// Holder is the other process that holds the lease. It is chosen by that process.
	Holder string
}

func (f Fence) isHeld() bool { return f.Kind == LeaseHeld }

var (
	errNotAssessed = errors.New("nothing may be written there before the API server was asked whether it checks the resourceVersion of an apply")
	errUnsuitable  = errors.New("nothing may be written there, since the API server does not check the resourceVersion of an apply")
	errNotAskable  = errors.New("nothing may be written there, since this build of the API server may not check the resourceVersion of an apply, and " +
		"without the lease it cannot be asked")
	errNotHeld = errors.New("nothing may be written there before the operator holds its lease there")
	errExpired = errors.New("nothing may be written there, since the lease there could not be renewed for three minutes")
)

// HeldError says that another process writes to the cluster.
type HeldError struct{ Holder string }

func (e *HeldError) Error() string {
	return fmt.Sprintf("nothing may be written there, since another process with the same hub id holds the lease: %q", e.Holder)
}

// State returns how it is with the lease.
func (p *Presence) State() Fence {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fence
}

// Writable returns nil if this process may write, or why it may not: another process holds the lease, or the API server does not check what writes rely
// on. Without a permission for the lease, or a namespace, nothing keeps a second process from writing, and this one writes, too.
func (p *Presence) Writable() error {
	isBelieved := p.isBelieved()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fenced(); err != nil {
		return err
	}
	switch p.suitable {
	case Suitable:
		return nil
	case Unsuitable:
		return errUnsuitable
	case NotAskable:
		if !isBelieved {
			return errNotAskable
		}
		return nil
	default:
		return errNotAssessed
	}
}

// fenced returns nil if the lease allows that this process writes. The lock is held.
func (p *Presence) fenced() error {
	switch p.fence.Kind {
	case LeaseHeld:
		if p.options.Clock.Since(p.confirmed) >= presenceTime {
			return errExpired
		}
		return nil
	case LeaseNotPermitted, HomeMissing:
		return nil
	case HeldByAnother:
		return &HeldError{Holder: p.fence.Holder}
	default:
		return errNotHeld
	}
}

// hold notes that this process holds the lease.
func (p *Presence) hold(lease *coordinationv1.Lease, asked time.Time, continues bool) {
	p.mu.Lock()
	if !continues {
		p.chain++
	}
	p.lease, p.version, p.confirmed = lease, lease.ResourceVersion, asked
	p.mu.Unlock()
	p.turn(Fence{Kind: LeaseHeld})
}

// lose notes that this process does not hold the lease.
func (p *Presence) lose(to Fence) {
	p.mu.Lock()
	p.version = ""
	p.mu.Unlock()
	p.turn(to)
}

func (p *Presence) turn(to Fence) {
	p.mu.Lock()
	isNew := p.fence != to
	p.fence = to
	p.mu.Unlock()
	if isNew {
		p.options.Changed()
	}
}

// noteRefusal notes an error that says that the lease is not permitted. For others, the lease stays valid for a while.
func (p *Presence) noteRefusal(err error) error {
	if apierrors.IsForbidden(err) {
		p.lose(Fence{Kind: LeaseNotPermitted})
		return nil
	}
	return err
}

// isLater reports whether a lease is the former one, as this process alone has renewed it since. No other process has its name. In an API server that was
// restored from the past, its own renewals are earlier.
func (p *Presence) isLater(lease, former *coordinationv1.Lease) bool {
	return lease.UID == former.UID && holderOf(lease) == p.options.Holder && former.Spec.RenewTime.Before(lease.Spec.RenewTime)
}

// isFree reports whether no other process holds the lease. One that does has changed it since its time has begun, by the clock of this process.
func (p *Presence) isFree(lease *coordinationv1.Lease) bool {
	if holder := holderOf(lease); holder == "" || holder == p.options.Holder {
		return true
	}
	valid := presenceTime
	if seconds := lease.Spec.LeaseDurationSeconds; seconds != nil {
		valid = time.Duration(*seconds) * time.Second
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.options.Clock.Now()
	if p.lease == nil || p.lease.UID != lease.UID || p.lease.ResourceVersion != lease.ResourceVersion {
		p.lease, p.seen = lease, now
	}
	return now.Sub(p.seen) >= valid
}

func holderOf(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func transitionsOf(lease *coordinationv1.Lease) int32 {
	if lease.Spec.LeaseTransitions == nil {
		return 0
	}
	return *lease.Spec.LeaseTransitions
}

// holderName is what the name of another process may be, to be shown.
var holderName = regexp.MustCompile(`^[-._0-9A-Za-z]{1,100}$`)

// shown returns the name of another process, which somebody else has chosen.
func shown(holder string) string {
	if holderName.MatchString(holder) {
		return holder
	}
	return "unknown"
}
