package main

import (
	"context"
	"slices"
	"strings"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// work is what a copier did.
type work struct {
	counted  bool // whether the requests are known
	requests []env.Request
	cpu      time.Duration
}

// silence is how long a copier makes no request when it has nothing to do. Where requests cannot be seen, it is given
// longer.
const (
	silence     = 600 * time.Millisecond
	blindfolded = 3 * time.Second
)

// during returns what the copier did while the function ran and until it had nothing more to do.
func (s *scene) during(ctx context.Context, do func() error) (work, error) {
	mark, err := s.cluster.mark()
	if err != nil {
		return work{}, err
	}
	before, err := s.runner.used()
	if err != nil {
		return work{}, err
	}
	if err := do(); err != nil {
		return work{}, err
	}
	w := work{counted: s.cluster.plane != nil}
	for quiet := false; !quiet; {
		known := len(w.requests)
		pause := silence
		if !w.counted {
			pause = blindfolded
		}
		select {
		case <-ctx.Done():
			return work{}, ctx.Err()
		case <-time.After(pause):
		}
		if w.requests, err = s.requestsSince(mark); err != nil {
			return work{}, err
		}
		quiet = len(w.requests) == known
	}
	after, err := s.runner.used()
	w.cpu = after.cpu - before.cpu
	return w, err
}

// requestsSince returns the copier's requests, but for those of its leader election.
func (s *scene) requestsSince(mark env.AuditMark) ([]env.Request, error) {
	if s.cluster.plane == nil {
		return nil, nil
	}
	requests, err := s.cluster.plane.RequestsSince(mark, s.who.user())
	return slices.DeleteFunc(requests, ofLeaderElection), err
}

// ofLeaderElection tells whether a request holds the lease, or tells in an event who holds it.
func ofLeaderElection(r env.Request) bool {
	return r.Resource == "leases" && r.Name == v1.Domain || r.Resource == "events" && strings.HasPrefix(r.Name, v1.Domain+".")
}

// objects are the requests for single objects; what remains opens watches and finds out about kinds.
func (w work) objects() int {
	return w.count("get", "create", "update", "patch", "delete") - w.countWhere(readsDefinition)
}

// progress is how many requests report writes that take longer than a second: each a read of the rule and one more update of its status.
func (w work) progress(rules int) int { return 2 * max(0, w.countWhere(writesStatus)-rules) }

// writes are the requests that change something.
func (w work) writes() int { return w.count("create", "update", "patch", "delete") }

func (w work) count(verbs ...string) int {
	return w.countWhere(func(r env.Request) bool { return r.Resource != "" && slices.Contains(verbs, r.Verb) })
}

func (w work) countWhere(holds func(env.Request) bool) int {
	n := 0
	for _, request := range w.requests {
		if holds(request) {
			n++
		}
	}
	return n
}

// readsDefinition reports whether the request belongs to the opening of a watch.
func readsDefinition(r env.Request) bool {
	return r.Verb == "get" && r.Resource == "customresourcedefinitions"
}

func writesStatus(r env.Request) bool {
	return r.Verb == "update" && r.Resource == "projections" && r.Subresource == "status"
}
