package faults

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
)

// Proxy passes requests on to an API server, as the user of the configuration that it was made with, and spoils some.
type Proxy struct {
	server   *httptest.Server
	upstream http.RoundTripper
	forward  *httputil.ReverseProxy
	seed     uint64

	mu      sync.Mutex
	rules   []Rule
	calm    chan struct{} // closed when the rules are taken back
	counts  map[string]uint64
	spoiled map[Fault]int
	watches map[*stream]struct{}
	holds   []*Hold
	down    bool
}

// NewProxy returns a proxy that spoils nothing yet.
func NewProxy(config *rest.Config, seed uint64) (*Proxy, error) {
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	upstream, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	p := &Proxy{upstream: upstream, seed: seed, spoiled: map[Fault]int{}, watches: map[*stream]struct{}{}}
	p.Clear()
	p.forward = &httputil.ReverseProxy{
		Transport:     upstream,
		FlushInterval: -1, // events of watches are passed on at once
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			doomed, _ := r.In.Context().Value(fate{}).(doom)
			if requestOf(r.In).Verb == "watch" || doomed.rule.Fault == Kindless {
				inJSON(r.Out.Header)
			}
		},
		ModifyResponse: p.modify,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // no answer is no answer
	}
	p.forward.ErrorLog = silence()
	p.server = httptest.NewUnstartedServer(http.HandlerFunc(p.serve))
	p.server.EnableHTTP2 = true
	p.server.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connection{}, conn)
	}
	p.server.Config.ErrorLog = silence()
	p.server.StartTLS()
	return p, nil
}

// Config returns how to reach the proxy.
func (p *Proxy) Config() *rest.Config {
	return &rest.Config{Host: p.server.URL, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: certificate(p.server)}}
}

// Close ends the proxy and every connection.
func (p *Proxy) Close() {
	p.Clear()
	p.server.CloseClientConnections()
	p.server.Close()
}

// Set makes these the rules. Of several that match a request, the first whose chance comes up counts.
func (p *Proxy) Set(rules ...Rule) {
	p.Clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = rules
}

// Clear takes the rules back, and lets everything go on that hangs or is silent.
func (p *Proxy) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calm != nil {
		close(p.calm)
	}
	p.rules, p.calm, p.counts = nil, make(chan struct{}), map[string]uint64{}
}

// Down breaks every connection, and each new one, until Up is called.
func (p *Proxy) Down() {
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	p.server.CloseClientConnections()
}

// Up ends what Down began.
func (p *Proxy) Up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// Spoiled returns how many requests and watches have suffered from each fault.
func (p *Proxy) Spoiled() map[Fault]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.spoiled)
}

// verdict returns what is to go wrong with the request, if anything, and when it is over.
func (p *Proxy) verdict(request Request) (rule Rule, spoiled bool, calm <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, rule := range p.rules {
		if !rule.matches(request) {
			continue
		}
		key := fmt.Sprintf("%d %s %s %s", i, rule.Fault, request.Verb, request.Path)
		p.counts[key]++
		if rule.Percent == 0 || p.draw(key, p.counts[key])%100 < rule.Percent {
			p.spoiled[rule.Fault]++
			return rule, true, p.calm
		}
	}
	return Rule{}, false, p.calm
}

// draw returns a number that depends on the seed and the arguments alone.
func (p *Proxy) draw(key string, count uint64) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%d %s %d", p.seed, key, count)
	sum := hash.Sum64()
	return sum ^ sum>>29 ^ sum>>41 // the low bits of FNV alone are poor dice
}
