package ui_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

const host = "127.0.0.1:40717"

func newServer(pages map[string]func(*http.Request) (ui.Page, error)) *ui.Server {
	return ui.New(ui.Options{
		Context: "prod-eu", Menu: []ui.Link{{Text: "Overview", Path: "/"}}, Pages: pages, Sandbox: "/sandbox",
		Watch: func(context.Context, ui.News) {},
		Now:   func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) },
	}, host)
}

func TestBrowsersLeaveTheDefaultPortOut(t *testing.T) {
	server := ui.New(ui.Options{Pages: page(ui.Page{Title: "Overview"}), Now: time.Now}, "127.0.0.1:80")
	assert.Regexp(t, `^http://127\.0\.0\.1/\?token=\w+$`, server.Address())
	asked := httptest.NewRequestWithContext(t.Context(), http.MethodGet, server.Address(), nil)
	answer := httptest.NewRecorder()
	server.Handler().ServeHTTP(answer, asked)
	assert.Equal(t, http.StatusSeeOther, answer.Code, answer.Body)
}

func page(page ui.Page) map[string]func(*http.Request) (ui.Page, error) {
	of := func(*http.Request) (ui.Page, error) { return page, nil }
	return map[string]func(*http.Request) (ui.Page, error){"/": of, "/sandbox": of}
}

// request is one by a browser that has the cookie.
type request struct {
	method, path, host, body string
	header                   map[string]string
	isStrange                bool
}

// opened returns what a browser does that has opened the address.
func opened(t *testing.T, server *ui.Server) func(request) *httptest.ResponseRecorder {
	t.Helper()
	handler := server.Handler()
	opening := httptest.NewRequestWithContext(t.Context(), http.MethodGet, server.Address(), nil)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, opening)
	require.Equal(t, http.StatusSeeOther, answer.Code)
	cookies := answer.Result().Cookies()
	require.Len(t, cookies, 1)
	return func(r request) *httptest.ResponseRecorder {
		if r.method == "" {
			r.method = http.MethodGet
		}
		made := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
		if made.Host = host; r.host != "" {
			made.Host = r.host
		}
		made.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for name, value := range r.header {
			made.Header.Set(name, value)
		}
		if !r.isStrange {
			made.AddCookie(cookies[0])
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, made)
		return answer
	}
}

func TestTokenIsGoodForOneTime(t *testing.T) {
	server := newServer(page(ui.Page{Title: "Overview"}))
	address := server.Address()
	handler := server.Handler()
	do := func(method, address string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
		made, answer := httptest.NewRequestWithContext(t.Context(), method, address, nil), httptest.NewRecorder()
		for _, cookie := range cookies {
			made.AddCookie(cookie)
		}
		handler.ServeHTTP(answer, made)
		return answer
	}
	assert.Equal(t, http.StatusUnauthorized, do(http.MethodGet, "http://"+host+"/").Code, "no token")
	assert.Equal(t, http.StatusUnauthorized, do(http.MethodGet, "http://"+host+"/?token=wrong").Code)
	assert.Equal(t, http.StatusUnauthorized, do(http.MethodHead, address).Code, "who only looks at the address does not use the token up")

	first := do(http.MethodGet, address)
	assert.Equal(t, http.StatusSeeOther, first.Code)
	assert.Equal(t, "/", first.Header().Get("Location"), "the token leaves the address")
	require.Len(t, first.Result().Cookies(), 1)
	cookie := first.Result().Cookies()[0]
	assert.True(t, cookie.HttpOnly)
	assert.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	assert.Equal(t, "kubectl-projection-40717", cookie.Name)
	assert.NotContains(t, address, cookie.Value)

	second := do(http.MethodGet, address)
	assert.Equal(t, http.StatusUnauthorized, second.Code)
	assert.Contains(t, second.Body.String(), "It is good for one browser, and for one time")
	assert.NotContains(t, second.Body.String(), "Overview</a>")
	assert.Equal(t, http.StatusSeeOther, do(http.MethodGet, address, cookie).Code, "the browser that has it may load the address again")
	assert.Equal(t, http.StatusOK, do(http.MethodGet, "http://"+host+"/", cookie).Code)
	assert.Equal(t, http.StatusUnauthorized, do(http.MethodGet, "http://"+host+"/", &http.Cookie{Name: cookie.Name, Value: "wrong"}).Code)
}

func TestRequestsOfOthersAreRefused(t *testing.T) {
	own, other := "http://"+host, "http://evil.example"
	tests := map[string]struct {
		request
		status int
	}{
		"the reader":                     {request{path: "/"}, http.StatusOK},
		"the address bar":                {request{path: "/", header: map[string]string{"Sec-Fetch-Site": "none"}}, http.StatusOK},
		"a link of the page":             {request{path: "/", header: map[string]string{"Sec-Fetch-Site": "same-origin"}}, http.StatusOK},
		"a page that is not there":       {request{path: "/nothing"}, http.StatusNotFound},
		"no cookie":                      {request{path: "/", isStrange: true}, http.StatusUnauthorized},
		"no cookie for events":           {request{path: "/events", isStrange: true}, http.StatusUnauthorized},
		"another name of the address":    {request{path: "/", host: "evil.example:40717"}, http.StatusForbidden},
		"localhost":                      {request{path: "/", host: "localhost:40717"}, http.StatusForbidden},
		"another port":                   {request{path: "/", host: "127.0.0.1:80"}, http.StatusForbidden},
		"another name asks for an asset": {request{path: "/assets/style.css", host: "evil.example"}, http.StatusForbidden},
		"a link of another site":         {request{path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, http.StatusForbidden},
		"a page at another port":         {request{path: "/", header: map[string]string{"Sec-Fetch-Site": "same-site"}}, http.StatusForbidden},
		"a script of another site":       {request{path: "/", header: map[string]string{"Origin": other}}, http.StatusForbidden},
		"a script of no site":            {request{path: "/events", header: map[string]string{"Origin": "null"}}, http.StatusForbidden},
		"the form":                       {request{method: http.MethodPost, path: "/sandbox", header: map[string]string{"Origin": own}}, http.StatusOK},
		"a form of another site":         {request{method: http.MethodPost, path: "/sandbox", header: map[string]string{"Origin": other}}, http.StatusForbidden},
		"a form of nobody":               {request{method: http.MethodPost, path: "/sandbox"}, http.StatusForbidden},
		"a form by the address bar":      {request{method: http.MethodPost, path: "/sandbox", header: map[string]string{"Origin": own, "Sec-Fetch-Site": "none"}}, http.StatusForbidden},
		"a form without cookie":          {request{method: http.MethodPost, path: "/sandbox", isStrange: true, header: map[string]string{"Origin": own}}, http.StatusUnauthorized},
		"a form to a page without one":   {request{method: http.MethodPost, path: "/", header: map[string]string{"Origin": own}}, http.StatusNotFound},
		"a form that is too long":        {request{method: http.MethodPost, path: "/sandbox", header: map[string]string{"Origin": own}, body: "a=" + strings.Repeat("b", 1<<17)}, http.StatusBadRequest},
		"another method":                 {request{method: http.MethodDelete, path: "/"}, http.StatusMethodNotAllowed},
		"a file beside the assets":       {request{path: "/assets/SHA256SUMS"}, http.StatusNotFound},
		"an asset":                       {request{path: "/assets/htmx.min.js"}, http.StatusOK},
		"events":                         {request{path: "/events"}, http.StatusOK},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			answer := opened(t, newServer(page(ui.Page{Title: "Overview"})))(test.request)
			assert.Equal(t, test.status, answer.Code)
			policy := answer.Header().Get("Content-Security-Policy")
			assert.Contains(t, policy, "default-src 'none'")
			assert.NotContains(t, policy, "unsafe")
			assert.Equal(t, "nosniff", answer.Header().Get("X-Content-Type-Options"))
			assert.Equal(t, "no-store", answer.Header().Get("Cache-Control"))
			assert.Equal(t, "same-origin", answer.Header().Get("Referrer-Policy"))
		})
	}
}

func TestErrorsArePages(t *testing.T) {
	browse := opened(t, newServer(map[string]func(*http.Request) (ui.Page, error){
		"/lost": func(*http.Request) (ui.Page, error) {
			return ui.Page{}, apierrors.NewNotFound(schema.GroupResource{Resource: "projections"}, "<b>")
		},
		"/broken":  func(*http.Request) (ui.Page, error) { return ui.Page{}, errors.New("the API server does not answer") },
		"/sandbox": func(*http.Request) (ui.Page, error) { return ui.Page{}, nil },
	}))
	lost := browse(request{path: "/lost"})
	assert.Equal(t, http.StatusNotFound, lost.Code)
	assert.Contains(t, lost.Body.String(), `projections &#34;&lt;b&gt;&#34; not found`)
	broken := browse(request{path: "/broken"})
	assert.Equal(t, http.StatusBadGateway, broken.Code)
	assert.Contains(t, broken.Body.String(), "the API server does not answer")
}

func TestAssetsAreAsTheyWerePublished(t *testing.T) {
	sums, err := os.ReadFile(filepath.Join("assets", "SHA256SUMS"))
	require.NoError(t, err)
	listed := map[string]bool{"SHA256SUMS": true, "README.md": true, "style.css": true, "page.js": true, "icon.svg": true}
	for line := range strings.Lines(string(sums)) {
		fields := strings.Fields(line)
		require.Len(t, fields, 2)
		content, err := os.ReadFile(filepath.Join("assets", fields[1]))
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		assert.Equal(t, fields[0], hex.EncodeToString(sum[:]), fields[1])
		listed[fields[1]] = true
	}
	files, err := os.ReadDir("assets")
	require.NoError(t, err)
	for _, file := range files {
		assert.True(t, listed[file.Name()], "%s is not in SHA256SUMS", file.Name())
	}
}
