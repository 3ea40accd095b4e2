package destination

import (
	"errors"
	"iter"
	"sync"
)

// TargetHashes are the content hashes of the copies of one rule with expressions, as they were computed last. They are remembered between
// reconciles: as long as the rule, the source and the namespace are the same, nothing is evaluated. No value is remembered. It is safe for
// concurrent use.
type TargetHashes struct {
	mu          sync.Mutex
	fingerprint string
	all         *targetHash // of what all targets share
	targets     map[string]targetHash
}

// targetHash is the hash, or the error, for one version of a namespace.
type targetHash struct {
	version, hash string
	err           error
}

// canStay reports whether the next reconcile has the same hash or error.
func (h targetHash) canStay() bool {
	failed, ok := errors.AsType[*RenderError](h.err)
	return !ok || !failed.Retry
}

// Retain forgets what is remembered of other namespaces than those of the targets, of which there are so many.
func (t *TargetHashes) Retain(targets int, namespaces iter.Seq[string]) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.targets) <= targets {
		return
	}
	retained := make(map[string]targetHash, targets)
	for namespace := range namespaces {
		if known, found := t.targets[namespace]; found {
			retained[namespace] = known
		}
	}
	t.targets = retained
}

// begin forgets what depends on something else than the fingerprint says.
func (t *TargetHashes) begin(fingerprint string) {
	if t.fingerprint != fingerprint {
		t.fingerprint, t.all, t.targets = fingerprint, nil, map[string]targetHash{}
	}
}

// ofAll returns what is known of what all targets share, or else what the function returns. A nil TargetHashes knows nothing.
func (t *TargetHashes) ofAll(fingerprint string, compute func() (string, error)) (string, error) {
	if t == nil {
		return compute()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(fingerprint)
	if t.all != nil {
		return t.all.hash, t.all.err
	}
	hash, err := compute()
	if all := (targetHash{hash: hash, err: err}); all.canStay() {
		t.all = &all
	}
	return hash, err
}

// of returns what is known of the target, or else what the function returns. A nil TargetHashes knows nothing.
func (t *TargetHashes) of(fingerprint string, target Target, compute func() (string, error)) (string, error) {
	if t == nil || target.Version == "" {
		return compute()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(fingerprint)
	known, found := t.targets[target.Namespace]
	if !found || known.version != target.Version {
		known.version = target.Version
		known.hash, known.err = compute()
		if known.canStay() {
			t.targets[target.Namespace] = known
		}
	}
	return known.hash, known.err
}
