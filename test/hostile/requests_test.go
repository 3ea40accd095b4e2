package hostile_test

import (
	"projection.sh/operator/test/env"
)

// requestsDuring returns the requests that the operator makes in the namespaces of the test while the function runs.
func (w *world) requestsDuring(do func()) []env.Request {
	w.T.Helper()
	return w.RequestsDuring(cluster, operatorUser, do)
}

// settles returns when the operator has made no request for this test for half a second.
func (w *world) settles() {
	w.T.Helper()
	w.Settles(cluster, operatorUser)
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
