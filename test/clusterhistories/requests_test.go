package clusterhistories_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"projection.sh/operator/test/env"
)

// unjustified returns the writes of copies since the last quiet point that no version of the world before them asks for.
func (h *history) unjustified() (wrong []string) {
	for _, in := range h.clusters {
		requests, err := in.plane.RequestsSince(in.audited, in.user)
		h.need(err)
		in.audited, err = in.plane.AuditMark()
		h.need(err)
		for _, request := range requests {
			if why := h.fault(in.name, request); why != "" {
				wrong = append(wrong, fmt.Sprintf("%s %s in %s: %s", request.Received.Format("05.000"), request, in.name, why))
			}
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
	at, may := place{in, role, request.Name}, world.mayWrite
	if request.Verb == "delete" {
		may = world.mayDelete
	}
	for _, version := range h.versions {
		if !version.since.After(request.Received.Add(time.Millisecond)) && may(version.world, at) {
			return ""
		}
	}
	return "nothing asked for it"
}
