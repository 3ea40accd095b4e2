package hostile_test

import (
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// requestsDuring returns the requests that the operator makes in the namespaces of the test while the function runs.
func (w *world) requestsDuring(do func()) []env.Request {
	w.T.Helper()
	mark, err := cluster.AuditMark()
	require.NoError(w.T, err)
	do()
	all, err := cluster.RequestsSince(mark, operatorUser)
	require.NoError(w.T, err)
	var here []env.Request
	for _, request := range all {
		if request.Namespace == w.Home || request.Namespace == w.Away {
			here = append(here, request)
		}
	}
	return here
}

// settles returns when the operator has made no request for this test for half a second.
func (w *world) settles() {
	w.T.Helper()
	for len(w.requestsDuring(func() { <-time.After(500 * time.Millisecond) })) > 0 {
		continue
	}
}

// writes returns those of the requests that change copies, by verb.
func writes(requests []env.Request, resource string) (verbs []string) {
	for _, request := range requests {
		if request.Resource == resource && request.Verb != "get" && request.Verb != "list" && request.Verb != "watch" {
			verbs = append(verbs, request.Verb)
		}
	}
	return verbs
}
