package destination

import (
	"errors"
	"iter"
	"sync"
)

// TargetTexts are texts about the copies of one rule with expressions, as they were computed last: their content hashes, or their names. They are
// remembered between reconciles: as long as the rule, the source and the namespace are the same, nothing is evaluated. No value of a field is
// remembered. It is safe for concurrent use.
type TargetTexts struct {
	mu          sync.Mutex
	fingerprint string
	all         *targetText // of what all targets share
	targets     map[string]targetText
}

// targetText is the text, or the error, for one version of a namespace.
type targetText struct {
	version, text string
	err           error
	// before is the last other text for an earlier version of the namespace; empty: there is none.
	before string
}

// canStay reports whether the next reconcile has the same text or error.
func (t targetText) canStay() bool {
	failed, ok := errors.AsType[*RenderError](t.err)
	return !ok || !failed.Retry
}

// Retain forgets what is remembered of other namespaces than those of the targets, of which there are so many.
func (t *TargetTexts) Retain(targets int, namespaces iter.Seq[string]) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.targets) <= targets {
		return
	}
	retained := make(map[string]targetText, targets)
	for namespace := range namespaces {
		if known, found := t.targets[namespace]; found {
			retained[namespace] = known
		}
	}
	t.targets = retained
}

// begin forgets what depends on something else than the fingerprint says.
func (t *TargetTexts) begin(fingerprint string) {
	if t.fingerprint != fingerprint {
		t.fingerprint, t.all, t.targets = fingerprint, nil, map[string]targetText{}
	}
}

// ofAll returns what is known of what all targets share, or else what the function returns. A nil TargetTexts knows nothing.
func (t *TargetTexts) ofAll(fingerprint string, compute func() (string, error)) (string, error) {
	if t == nil {
		return compute()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(fingerprint)
	if t.all != nil {
		return t.all.text, t.all.err
	}
	text, err := compute()
	if all := (targetText{text: text, err: err}); all.canStay() {
		t.all = &all
	}
	return text, err
}

// of returns what is known of the target, or else what the function returns. A nil TargetTexts knows nothing.
func (t *TargetTexts) of(fingerprint string, target Target, compute func() (string, error)) (string, error) {
	if t == nil || target.Version == "" {
		return compute()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begin(fingerprint)
	known, found := t.targets[target.Namespace]
	if !found || known.version != target.Version {
		before := known.text
		known.version = target.Version
		if known.text, known.err = compute(); before != "" && before != known.text {
			known.before = before
		}
		if known.canStay() {
			t.targets[target.Namespace] = known
		}
	}
	return known.text, known.err
}

// before returns the last other text of the target, for which nothing was different but its namespace; empty: none is known.
func (t *TargetTexts) before(fingerprint, namespace string) string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fingerprint != fingerprint {
		return ""
	}
	return t.targets[namespace].before
}
