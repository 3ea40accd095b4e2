package watch

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Witness knows whether a cluster that can be cut off still has the history that was seen. It writes an object there again and again, each time onto
// the version that it has written last. All such writes that build on each other are a chain. It is safe for concurrent use.
type Witness interface {
	// Await returns when the cluster can be reached. If it cannot be at first, the function is called with the reason.
	Await(ctx context.Context, away func(error)) error
	// Latest returns the version that was written last, and the number of its chain; empty: there is none.
	Latest() (version string, chain uint64)
	// Confirm reports whether the cluster had all of the chain at a time after that. An error says that nothing is known.
	Confirm(ctx context.Context, chain uint64, after time.Time) (bool, error)
}

// proof is what has to be shown before a watch goes on: that the cluster still has the chain, and sends again what was seen after that version.
type proof struct {
	version string
	chain   uint64
	seen    []sight // to be sent again, in this order
}

// await returns when the cluster can be reached.
func (w *watchdog) await(ctx context.Context) error {
	if w.witness == nil {
		return nil
	}
	return w.witness.Await(ctx, w.away)
}

// list lists when the cluster can be reached. If the cluster is cut off while it lists, it is listed once it is back.
func (w *watchdog) list(ctx context.Context, ask func() (runtime.Object, error)) (runtime.Object, error) {
	if err := w.await(ctx); err != nil {
		return nil, err
	}
	for {
		w.listed()
		answer, err := ask()
		if err == nil || w.witness == nil {
			return answer, err
		}
		isCut := false
		ended := w.witness.Await(ctx, func(reason error) {
			isCut = true
			w.away(reason)
		})
		if !isCut || ended != nil {
			return nil, err
		}
	}
}

// resume returns what has to be shown before a watch goes on where it was, and has the options begin with what is to be shown. Nil: nothing can
// be shown, or the watch begins with all that there is.
func (w *watchdog) resume(options *metav1.ListOptions) *proof {
	if w.witness == nil || options.SendInitialEvents != nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trace.begin(options.ResourceVersion)
	if w.ended.IsZero() {
		return nil // it goes on from a list
	}
	needed, possible := w.trace.proof()
	if !possible {
		return nil
	}
	if IsNewer(options.ResourceVersion, needed.version) {
		options.ResourceVersion = needed.version
	}
	return needed
}

// confirm returns nil if a watch that has opened may go on.
func (w *watchdog) confirm(ctx context.Context, needed *proof, opened time.Time) error {
	if needed == nil {
		if w.isGap() {
			return errGap
		}
		return nil
	}
	w.mu.Lock()
	after := w.ended
	w.mu.Unlock()
	if earliest := opened.Add(-maxGap); earliest.After(after) {
		after = earliest
	}
	has, err := w.witness.Confirm(ctx, needed.chain, after)
	if err == nil && !has || err != nil && w.isGap() {
		return errGap
	}
	return nil
}
