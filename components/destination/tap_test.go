package destination_test

import (
	"errors"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"
)

// tap counts the requests of the writer, and lets others act right before one of them.
type tap struct {
	mu      sync.Mutex
	verbs   []string
	before  func(verb string)
	refuses string // verb of the requests that do not get through
	fails   int    // how many requests get through before one does not; 0: all do
}

func (t *tap) on(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(request *http.Request) (*http.Response, error) {
			t.mu.Lock()
			t.verbs = append(t.verbs, request.Method)
			before, refuses := t.before, request.Method == t.refuses
			t.mu.Unlock()
			if before != nil {
				before(request.Method)
			}
			if refuses || t.failsNow() {
				return nil, errRefused
			}
			return next.RoundTrip(request)
		})
	})
	return config
}

// failsNow reports whether the request is the one that does not get through.
func (t *tap) failsNow() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fails > 0 {
		t.fails--
		return t.fails == 0
	}
	return false
}

var errRefused = errors.New("refused")

// refuse lets no request with the verb through.
func (t *tap) refuse(verb string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refuses = verb
}

// once acts before the first request with the verb.
func (t *tap) once(verb string, act func()) {
	var done sync.Once
	t.always(verb, func() { done.Do(act) })
}

// always acts before every request with the verb.
func (t *tap) always(verb string, act func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.before = func(method string) {
		if method == verb {
			act()
		}
	}
}

// take returns the verbs of the requests so far, and forgets them and who acts before them.
func (t *tap) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	verbs := t.verbs
	t.verbs, t.before = nil, nil
	return verbs
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }
