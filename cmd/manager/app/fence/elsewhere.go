package fence

import "net/http"

// Elsewhere returns a transport to an API server that does not have the lease. A lease there that has the same name decides nothing.
func (f *Fence) Elsewhere(next http.RoundTripper) http.RoundTripper { return elsewhere{f, next} }

type elsewhere struct {
	fence *Fence
	next  http.RoundTripper
}

func (t elsewhere) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet {
		return t.next.RoundTrip(request)
	}
	return t.fence.pass(request, t.next)
}
