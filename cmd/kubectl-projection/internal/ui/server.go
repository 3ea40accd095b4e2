package ui

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Options are what a server shows.
type Options struct {
	// Context is the name of the cluster, as the reader calls it.
	Context string
	Menu    []Link
	// Pages are the pages by the paths at which they are, as http.ServeMux has them.
	Pages map[string]func(*http.Request) (Page, error)
	// Sandbox is the path of the page whose form is posted.
	Sandbox string
	// Watch says what changes, until the context ends. Nil: nothing is watched.
	Watch func(ctx context.Context, news News)
	// Now is the time.
	Now func() time.Time
}

// Server serves the pages.
type Server struct {
	options Options
	host    string
	session *session
	live    *broadcast
	// working has a place for each page that may be made at a time.
	working chan struct{}
}

// atOnce is how many pages are made at a time: one may need some dozens of requests.
const atOnce = 3

// defaultPort is left out by browsers.
const defaultPort = ":80"

// New returns a server that is reached at the host, which has a port.
func New(options Options, host string) *Server {
	host = strings.TrimSuffix(host, defaultPort)
	return &Server{options: options, host: host, session: newSession(host), live: newBroadcast(options.Watch), working: make(chan struct{}, atOnce)}
}

// Address is what the reader opens. It is good for one time.
func (s *Server) Address() string { return "http://" + s.host + "/?token=" + s.session.token }

// Handler serves requests.
func (s *Server) Handler() http.Handler {
	pages := http.NewServeMux()
	for path, page := range s.options.Pages {
		if path == "/" {
			path = "/{$}"
		}
		pages.HandleFunc("GET "+path, s.page(page))
	}
	if sandbox := s.options.Sandbox; sandbox != "" {
		pages.HandleFunc("POST "+sandbox, s.page(s.options.Pages[sandbox]))
	}
	pages.HandleFunc("GET /events", s.live.serve)
	pages.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, "There is no such page.")
	})
	all := http.NewServeMux()
	for _, name := range served {
		all.HandleFunc("GET /assets/"+name, serveAsset(name))
	}
	all.Handle("/", s.required(pages))
	return s.guarded(all)
}

// Serve serves requests until the context ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // there is nothing to be lost
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// longest is how many bytes of a form are read.
const longest = 64 << 10

// page makes a page for each request.
func (s *Server) page(of func(*http.Request) (Page, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, longest)
		if err := r.ParseForm(); err != nil {
			s.fail(w, r, http.StatusBadRequest, "The form cannot be read.")
			return
		}
		select {
		case s.working <- struct{}{}:
			defer func() { <-s.working }()
		case <-r.Context().Done():
			return
		}
		since := s.live.count()
		page, err := of(r)
		page.since = since
		switch {
		case r.Context().Err() != nil:
		case err != nil:
			status, failed := failedPage(err)
			failed.since, failed.IsStill = since, r.Method == http.MethodPost
			s.write(w, r, status, failed)
		default:
			s.write(w, r, http.StatusOK, page)
		}
	}
}

// ErrNotFound is the error of a page about something that cannot exist.
var ErrNotFound = errors.New("not found")

// failedPage returns what is shown in place of a page that cannot be made. It follows changes as the page would.
func failedPage(err error) (status int, page Page) {
	page = Page{Lead: err.Error(), Tone: Bad}
	switch {
	case apierrors.IsNotFound(err), errors.Is(err, ErrNotFound):
		status, page.Title = http.StatusNotFound, "Not found"
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		status, page.Title, page.Tone = http.StatusForbidden, "You may not read this", Unknown
	default:
		status, page.Title = http.StatusBadGateway, "The cluster cannot be read"
	}
	return status, page
}

// fail answers with a page that says what is wrong.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, status int, message string) {
	s.write(w, r, status, Page{Title: http.StatusText(status), Lead: message, Tone: Bad, IsStill: true})
}

// shown is what the template gets.
type shown struct {
	Page

	Context string
	Menu    []menuLink
	Self    string
	Part    *part
	Time    string
	Since   int
	IsLive  bool
}

type menuLink struct {
	Link

	IsPresent bool
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, page Page) {
	view := shown{Page: page, Context: s.options.Context, Self: r.URL.RequestURI(), Time: s.options.Now().Format(time.TimeOnly), Since: page.since}
	view.IsLive = s.options.Watch != nil && !page.IsStill
	if status != http.StatusUnauthorized {
		for _, link := range s.options.Menu {
			view.Menu = append(view.Menu, menuLink{link, link.Path == r.URL.Path})
		}
	}
	if page.Listing != nil {
		if len(page.Unknown) > 0 && page.Listing.Empty != "" {
			page.Listing.Empty = "? You may not read all that belongs here."
		}
		view.Part = partOf(page.Listing, askedIn(valuesOf(r)))
		view.Part.InForm = page.Form != nil
	}
	var body bytes.Buffer
	if err := pageTemplate.Execute(&body, view); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // the browser may leave
}

// valuesOf returns what was sent: in the address, or in the form.
func valuesOf(r *http.Request) url.Values {
	if r.Method == http.MethodPost {
		return r.PostForm
	}
	return r.URL.Query()
}
