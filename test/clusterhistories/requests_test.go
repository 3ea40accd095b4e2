package clusterhistories_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"projection.sh/operator/test/env"
)

// unjustified returns the writes of copies since the last look that no version of the world before them asks for.
func (h *history) unjustified() (wrong []string) {
	for _, in := range h.clusters {
		for _, request := range h.newRequests(in) {
			if why := h.fault(in.name, request); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s %s in %s: %s", request.Received.Format("05.000"), request, in.name, why))
			}
		}
	}
	for _, request := range h.newRequests(h.stranger) {
		if request.Verb != "get" { // it is asked which cluster it is
			wrong = append(wrong, fmt.Sprintf("%s %s in another cluster", request.Received.Format("05.000"), request))
		}
	}
	return wrong
}

// fault says why the request must not have been; empty: it may.
func (h *history) fault(in string, request env.Request) string {
	role, isOurs := strings.CutPrefix(request.Namespace, h.id+"-")
	if !isOurs || request.Resource != "configmaps" || request.Code >= 300 || slices.Contains([]string{"get", "list", "watch"}, request.Verb) {
		return ""
	}
	for _, closed := range h.closed {
		if closed.cluster == in && request.Received.After(closed.from) && (closed.until.IsZero() || request.Received.Before(closed.until)) {
			return closed.why
		}
	}
	if !h.isJustified(place{in, role, request.Name}, request) {
		return "nothing asked for it"
	}
	return ""
}

const (
	// keptFor is for how long a read may be used: five seconds, and one for the reconcile.
	keptFor = 6 * time.Second
	// resumedAfter is how long watches may take to go on in a cluster that can be reached again.
	resumedAfter = 10 * time.Second
)

// isJustified reports whether a version of the world asks for the write of the copy at the place. The operator may have read the source a moment before
// that.
func (h *history) isJustified(at place, request env.Request) bool {
	var before []string // the rules of which there may have been a copy
	versions := h.versions[h.floorOf(at):]
	for i, now := range versions {
		may := false
		for _, then := range h.knownOf(at.cluster, request.Received, versions[:i+1]) {
			known := now.world.inNamespaces(at.cluster, then.world)
			if request.Verb == "delete" {
				may = may || known.mayDelete(at, before)
				continue
			}
			for read, former := range versions[:i+1] {
				isRecent := read == len(versions)-1 || versions[read+1].since.After(request.Received.Add(-keptFor))
				may = may || isRecent && known.reading(former.world).mayWrite(at)
			}
		}
		if may && !now.since.After(request.Received.Add(time.Millisecond)) {
			return true
		}
		for _, claim := range now.world.wanted()[at] {
			before = append(before, claim.rule)
		}
	}
	return false
}

// knownOf returns the versions by which the operator may know the namespaces of the cluster at that time: the last one, or any of them while its watch goes
// on after a cut.
func (h *history) knownOf(cluster string, at time.Time, versions []version) []version {
	if at.Before(h.healed[cluster].Add(resumedAfter)) {
		return versions
	}
	return versions[len(versions)-1:]
}

// floorOf returns the last version for which the operator had done everything at the place, and knew everything.
func (h *history) floorOf(at place) (last int) {
	for _, settled := range h.floors {
		if h.versions[settled.version].world.isSettled(at) && settled.at.After(h.healed[at.cluster].Add(resumedAfter)) {
			last = settled.version
		}
	}
	return last
}

// asked returns what the operator has asked since it was looked at last.
func (h *history) asked() (asked []string) {
	for _, in := range h.clusters {
		for _, request := range h.newRequests(in) {
			if request.Resource != "leases" && !strings.Contains(request.URI, "kube-system") {
				asked = append(asked, in.name+": "+request.String())
			}
		}
	}
	return asked
}

// newRequests returns what the operator has asked the cluster since this was called last.
func (h *history) newRequests(in *cluster) []env.Request {
	requests, err := in.log.RequestsSince(in.audited, in.user)
	h.need(err)
	h.audit(in)
	return requests
}
