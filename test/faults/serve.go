package faults

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Keys of what is passed along in contexts.
type (
	connection struct{}
	fate       struct{}
)

// doom is what is to happen to an answer.
type doom struct {
	rule Rule
	calm <-chan struct{}
}

func (p *Proxy) serve(writer http.ResponseWriter, request *http.Request) {
	p.mu.Lock()
	down := p.down
	p.mu.Unlock()
	if down {
		reset(request)
	}
	asked := requestOf(request)
	if hold := p.holding(asked); hold != nil {
		hold.keep(p, writer, request)
		return
	}
	rule, spoiled, calm := p.verdict(asked)
	if !spoiled {
		p.forward.ServeHTTP(writer, request)
		return
	}
	switch rule.Fault {
	case Slow:
		await(request, calm, rule.Delay)
		p.forward.ServeHTTP(writer, request)
	case Hang:
		await(request, calm, time.Hour)
		panic(http.ErrAbortHandler)
	case ResetBefore:
		reset(request)
	case NotServed:
		http.NotFound(writer, request)
	case Malformed, Empty:
		writer.Header().Set("Content-Type", "application/json")
		if rule.Fault == Malformed {
			_, _ = io.WriteString(writer, `{"kind": 7, "items": [}`)
		}
	default:
		if failure, known := failures[rule.Fault]; known {
			failure.answer(writer, asked)
			return
		}
		ctx := context.WithValue(request.Context(), fate{}, doom{rule, calm})
		p.forward.ServeHTTP(writer, request.WithContext(ctx))
	}
}

// await returns after the delay, or earlier when the faults are over or the caller gives up.
func await(request *http.Request, calm <-chan struct{}, delay time.Duration) {
	select {
	case <-calm:
	case <-request.Context().Done():
	case <-time.After(delay):
	}
}

// answer is what the API server says for the failure.
func (f failure) answer(writer http.ResponseWriter, asked Request) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: f.code, Reason: f.reason, Message: "a fault of the test",
		Details: &metav1.StatusDetails{Name: asked.Name, Kind: asked.Resource},
	}
	writer.Header().Set("Content-Type", "application/json")
	if f.code == http.StatusTooManyRequests {
		writer.Header().Set("Retry-After", "1")
	}
	writer.WriteHeader(int(f.code))
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // there is nothing in it that could not be written
	}
	_, _ = writer.Write(body) // whoever does not read on misses it
}

// reset breaks the connection that the request came by, without a last word, and ends the request.
func reset(request *http.Request) {
	if conn, ok := request.Context().Value(connection{}).(*tls.Conn); ok {
		if plain, ok := conn.NetConn().(*net.TCPConn); ok {
			_ = plain.SetLinger(0) // so that Close sends a reset
			_ = plain.Close()
		}
	}
	panic(http.ErrAbortHandler)
}

func silence() *log.Logger { return log.New(io.Discard, "", 0) }

func certificate(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}
