package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// errCut ends a body that was cut. The proxy then breaks the stream off, so that nobody takes the rest for the whole.
var errCut = errors.New("the answer is cut")

// modify spoils an answer. Watches are followed as long as they are open, so that they can be spoiled later.
func (p *Proxy) modify(response *http.Response) error {
	doomed, spoiled := response.Request.Context().Value(fate{}).(doom)
	asked := requestOf(response.Request)
	if spoiled && doomed.rule.Fault == Kindless {
		withoutKind(response)
	}
	if asked.Verb == "watch" && response.StatusCode == http.StatusOK {
		watch := p.follow(asked, response)
		if spoiled && doomed.rule.Fault != Kindless {
			watch.suffer(doomed.rule.Fault, doomed.calm)
		}
		return nil
	}
	if !spoiled {
		return nil
	}
	switch doomed.rule.Fault {
	case ResetAfter:
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		reset(response.Request)
	case CutBody:
		whole, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole[:len(whole)/2]), failing{}))
		return err
	default: // it is one for watches
	}
	return nil
}

// withoutKind takes the kind off every object of the answer, which is in JSON.
func withoutKind(response *http.Response) {
	whole := response.Body
	reader, writer := io.Pipe()
	go func() {
		from, to := json.NewDecoder(whole), json.NewEncoder(writer)
		for {
			var object map[string]any
			err := from.Decode(&object)
			if err == nil {
				delete(object, "kind")
				if told, ok := object["object"].(map[string]any); ok { // an event's
					delete(told, "kind")
				}
				err = to.Encode(object)
			}
			if err != nil {
				_ = errors.Join(writer.CloseWithError(err), whole.Close()) // whoever reads learns of it
				return
			}
		}
	}()
	response.Body, response.ContentLength = reader, -1
	response.Header.Del("Content-Length")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errCut }

// inJSON asks for plain JSON, so that events can be added to a watch, and answers be spoiled.
func inJSON(header http.Header) {
	accepted := slices.DeleteFunc(strings.Split(header.Get("Accept"), ","), func(kind string) bool { return strings.Contains(kind, "protobuf") })
	header.Set("Accept", strings.Join(accepted, ","))
	header.Del("Accept-Encoding")
}

// outdated is the event by which the API server ends a watch that it cannot continue.
func outdated() []byte {
	expired := failures[Gone]
	status, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: expired.code, Reason: expired.reason, Message: "too old resource version",
	})
	if err != nil {
		panic(err) // it is a constant
	}
	event, err := json.Marshal(metav1.WatchEvent{Type: "ERROR", Object: runtime.RawExtension{Raw: status}})
	if err != nil {
		panic(err)
	}
	return append(event, '\n')
}
