package faults

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Hold keeps the first request that it matches until it is released, as a network does that delivers late.
type Hold struct {
	matches func(Request) bool
	arrived chan struct{}
	release chan struct{}
	answer  chan int
	once    sync.Once
}

// Hold keeps the next request of which the function holds.
func (p *Proxy) Hold(matches func(Request) bool) *Hold {
	hold := &Hold{matches: matches, arrived: make(chan struct{}), release: make(chan struct{}), answer: make(chan int, 1)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holds = append(p.holds, hold)
	return hold
}

// Arrived is closed when the request is held.
func (h *Hold) Arrived() <-chan struct{} { return h.arrived }

// Release passes the request on, whether its sender still waits or not, and returns the status of the answer.
func (h *Hold) Release() int {
	h.once.Do(func() { close(h.release) })
	return <-h.answer
}

// holding returns the hold that keeps the request, if there is one. It keeps no other one.
func (p *Proxy) holding(request Request) *Hold {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, hold := range p.holds {
		if hold.matches(request) {
			p.holds = append(p.holds[:i:i], p.holds[i+1:]...)
			return hold
		}
	}
	return nil
}

func (h *Hold) keep(p *Proxy, writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	later := request.Clone(context.WithoutCancel(request.Context()))
	later.Body = io.NopCloser(bytes.NewReader(body))
	close(h.arrived)
	<-h.release
	answer := httptest.NewRecorder()
	p.forward.ServeHTTP(answer, later)
	h.answer <- answer.Code
	writer.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
	writer.WriteHeader(answer.Code)
	_, _ = writer.Write(answer.Body.Bytes()) // the sender may be gone
}
