package faults

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// stream is the body of an open watch.
type stream struct {
	io.ReadCloser
	proxy *Proxy
	asked Request
	gone  <-chan struct{} // the caller has given up

	mu     sync.Mutex
	silent <-chan struct{} // events wait for its end; nil: they do not
	last   io.Reader       // what comes instead of further events; nil: they come
	fault  error
}

// follow makes the answer's body a stream.
func (p *Proxy) follow(asked Request, response *http.Response) *stream {
	s := &stream{ReadCloser: response.Body, proxy: p, asked: asked, gone: response.Request.Context().Done()}
	response.Body = s
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watches[s] = struct{}{}
	return s
}

// Disturb lets so many percent of the open watches that the rule matches suffer from its fault.
func (p *Proxy) Disturb(rule Rule) {
	p.mu.Lock()
	calm := p.calm
	var chosen []*stream
	for s := range p.watches {
		key := "open " + string(rule.Fault) + s.asked.Path + s.asked.Selector
		p.counts[key]++
		if rule.matches(s.asked) && (rule.Percent == 0 || p.draw(key, p.counts[key])%100 < rule.Percent) {
			chosen = append(chosen, s)
			p.spoiled[rule.Fault]++
		}
	}
	p.mu.Unlock()
	for _, s := range chosen {
		s.suffer(rule.Fault, calm)
	}
}

// Watches returns how many of the open watches the rule matches.
func (p *Proxy) Watches(rule Rule) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := 0
	for s := range p.watches {
		if rule.matches(s.asked) {
			count++
		}
	}
	return count
}

func (s *stream) suffer(fault Fault, calm <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch fault {
	case Silent:
		s.silent = calm
		return
	case End:
		s.last, s.fault = bytes.NewReader(nil), io.EOF
	case Outdated:
		s.last, s.fault = bytes.NewReader(outdated()), io.EOF
	default:
		s.last, s.fault = bytes.NewReader([]byte(`{"type":"MODIFIED","obj`)), errCut
	}
	_ = s.ReadCloser.Close() // a Read that waits for events ends
}

func (s *stream) Read(into []byte) (int, error) {
	n, err := s.ReadCloser.Read(into)
	s.mu.Lock()
	silent := s.silent
	s.mu.Unlock()
	if silent != nil {
		select {
		case <-silent:
		case <-s.gone:
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		return n, err
	}
	if n, _ := s.last.Read(into); n > 0 {
		return n, nil
	}
	return 0, s.fault
}

func (s *stream) Close() error {
	s.proxy.mu.Lock()
	delete(s.proxy.watches, s)
	s.proxy.mu.Unlock()
	return s.ReadCloser.Close()
}
