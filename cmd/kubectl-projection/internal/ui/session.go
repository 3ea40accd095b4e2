package ui

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"sync"
)

// session lets in the one browser that has shown the token.
type session struct {
	// cookie is the name of the cookie: a browser sends cookies to every port of an address.
	cookie, secret string

	mu sync.Mutex
	// token can be shown once; empty: it was.
	token string
}

func newSession(host string) *session {
	_, port, _ := net.SplitHostPort(host) // a listener has a port
	return &session{cookie: "kubectl-projection-" + port, secret: rand.Text(), token: rand.Text()}
}

// redeem reports whether the token is the right one, which is good for one time.
func (s *session) redeem(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == "" || !isSame(token, s.token) {
		return false
	}
	s.token = ""
	return true
}

func isSame(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (s *session) has(r *http.Request) bool {
	cookie, err := r.Cookie(s.cookie)
	return err == nil && isSame(cookie.Value, s.secret)
}

// required lets requests of the browser pass that has shown the token. A token leaves the address at once.
func (s *Server) required(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.URL.Query().Get("token")
		isOpening := r.Method == http.MethodGet && r.URL.Path == "/" && token != ""
		switch {
		case isOpening && s.session.redeem(token):
			http.SetCookie(w, &http.Cookie{ //nolint:gosec // there is no TLS on loopback
				Name: s.session.cookie, Value: s.session.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			})
			http.Redirect(w, r, "/", http.StatusSeeOther)
		case !s.session.has(r):
			s.fail(w, r, http.StatusUnauthorized, "Open the address that kubectl projection ui has printed. It is good for one browser, and for one time: "+
				"start the command again for another one.")
		case isOpening:
			http.Redirect(w, r, "/", http.StatusSeeOther)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
