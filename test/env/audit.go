package env

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// auditPolicy writes a line when a request is answered; a watch is written when it begins.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, Panic]
rules:
- level: Metadata
`

func (e *Environment) configureAudit(args *envtest.Arguments) error {
	policy := filepath.Join(e.dir, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	args.Set("audit-policy-file", policy)
	args.Set("audit-log-path", e.auditLog())
	args.Set("audit-log-mode", "blocking-strict")
	return nil
}

func (e *Environment) auditLog() string { return filepath.Join(e.dir, "audit.log") }

// Request is one request that the API server has answered, or a watch that it has opened.
type Request struct {
	User, UserAgent, Verb, URI   string
	As                           string // the user in whose name the request was made; empty: the sender
	Group, Resource, Subresource string
	Namespace, Name              string
	Code                         int32
	Received                     time.Time
}

func (r Request) String() string { return fmt.Sprintf("%s %s (%d)", r.Verb, r.URI, r.Code) }

// AuditMark is a place in the audit log. It may be within a line that the API server has begun to write: the request of that line
// was answered before the mark.
type AuditMark int64

// AuditMark returns the present end of the audit log.
func (e *Environment) AuditMark() (AuditMark, error) {
	return endOf(e.auditLog())
}

func endOf(log string) (AuditMark, error) {
	info, err := os.Stat(log)
	if err != nil {
		return 0, err
	}
	return AuditMark(info.Size()), nil
}

// RequestsSince returns the requests by the user that were answered after the mark, in the order of their answers.
func (e *Environment) RequestsSince(mark AuditMark, user string) ([]Request, error) {
	return requestsIn(e.auditLog(), mark, user)
}

func requestsIn(log string, mark AuditMark, user string) ([]Request, error) {
	file, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	if mark > 0 {
		if _, err := file.Seek(int64(mark)-1, io.SeekStart); err != nil {
			return nil, err
		}
		lines.Scan() // the rest of the line before the mark
	}
	quoted, err := json.Marshal(user)
	if err != nil {
		return nil, err
	}
	var requests []Request
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), quoted) {
			continue // most lines are about others, and to decode them takes long
		}
		var event auditv1.Event
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			break // the last line is still being written
		}
		if event.User.Username == user && answered(event) {
			requests = append(requests, requestOf(event))
		}
	}
	return requests, lines.Err()
}

func answered(event auditv1.Event) bool {
	if event.Verb == "watch" {
		return event.Stage == auditv1.StageResponseStarted
	}
	return event.Stage == auditv1.StageResponseComplete
}

func requestOf(event auditv1.Event) Request {
	request := Request{
		User: event.User.Username, UserAgent: event.UserAgent, Verb: event.Verb, URI: event.RequestURI,
		Received: event.RequestReceivedTimestamp.Time,
	}
	if event.ImpersonatedUser != nil {
		request.As = event.ImpersonatedUser.Username
	}
	if ref := event.ObjectRef; ref != nil {
		request.Group, request.Resource, request.Subresource = ref.APIGroup, ref.Resource, ref.Subresource
		request.Namespace, request.Name = ref.Namespace, ref.Name
	}
	if event.ResponseStatus != nil {
		request.Code = event.ResponseStatus.Code
	}
	return request
}
