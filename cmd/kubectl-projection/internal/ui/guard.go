package ui

import (
	"net/http"
)

// policy is what the pages may do. All that they need comes from this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// guarded lets only those requests pass that a page of this server, or the reader, has made. Others come from pages of others in the same browser,
// or by a name that somebody else has given this address.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		switch {
		case r.Host != s.host:
			http.Error(w, "This server is http://"+s.host+" only.", http.StatusForbidden)
		case !s.isOwn(r):
			http.Error(w, "The request comes from a page of another server.", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
			header.Set("Allow", "GET, HEAD, POST")
			http.Error(w, "These pages are read-only.", http.StatusMethodNotAllowed)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOwn reports whether a page of this server has made the request, or the reader by the address bar. Only a page of this server can post.
func (s *Server) isOwn(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" && origin != "http://"+s.host {
		return false
	}
	if r.Method == http.MethodPost {
		return origin != "" && (site == "" || site == "same-origin")
	}
	return site == "" || site == "same-origin" || site == "none"
}
