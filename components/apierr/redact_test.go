package apierr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"projection.sh/operator/components/apierr"
)

const unreadable = `the answer of the API server could not be read; details withheld: they may quote the Secret`

// undecoded is what the client says of an answer that it cannot decode.
func undecoded(t testing.TB, body string) error {
	t.Helper()
	_, _, err := unstructured.UnstructuredJSONScheme.Decode([]byte(body), nil, nil)
	require.Error(t, err)
	return err
}

func TestRedact(t *testing.T) {
	kindless := undecoded(t, `{"metadata":{"name":"s"},"data":{"key":"`+canary+`"}}`)
	require.ErrorContains(t, kindless, canary, "the decoder quotes what it cannot read")
	quoting := fmt.Errorf("net/http: malformed HTTP response %q", canary)
	tests := map[string]struct {
		err  error
		text string
	}{
		"no kind":               {kindless, unreadable},
		"no kind, wrapped":      {fmt.Errorf("read the source: %w", kindless), unreadable},
		"no kind, among others": {errors.Join(context.Canceled, kindless), unreadable},
		"no JSON":               {undecoded(t, `{"kind": "Secret", "data": {"key": `+canary), unreadable},
		"no object":             {undecoded(t, `["`+canary+`"]`), unreadable},
		"no known error":        {errors.New(canary), unreadable},
		"a webhook":             {said(400, "", `admission webhook "a.b" denied the request: `+canary), `admission webhook "a.b" denies the request; details withheld: they may quote the Secret`},
		"no HTTP":               {&url.Error{Op: "Get", URL: "https://a/b", Err: quoting}, "the connection to the API server failed"},
		"no connection": {
			&url.Error{Op: "Get", URL: "https://a/b", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}},
			"the connection to the API server failed: dial: connection refused",
		},
		"a connection that ends": {&url.Error{Op: "Get", URL: "https://a/b", Err: io.EOF}, "the connection to the API server failed: EOF"},
		"no answer":              {fmt.Errorf("read the source: %w", context.DeadlineExceeded), "the API server did not answer in time"},
		"the end":                {context.Canceled, "context canceled"},
		"half an answer":         {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), "read: unexpected EOF"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			veiled := apierr.Redact(secrets, test.err)
			require.EqualError(t, veiled, test.text)
			require.ErrorIs(t, veiled, test.err, "what it proves stays")
			for _, told := range []string{fmt.Sprintf("%+v", veiled), apierr.Message(veiled), apierr.Message(fmt.Errorf("outside: %w", veiled))} {
				assert.NotContains(t, told, canary)
			}
			assert.Equal(t, test.text, apierr.Message(fmt.Errorf("outside: %w", veiled)))
		})
	}
}

func TestRedactIsForSecretsOnly(t *testing.T) {
	err := undecoded(t, `{"data":{"color":"red"}}`)
	assert.Equal(t, err, apierr.Redact(configMaps, err))
	require.NoError(t, apierr.Redact(secrets, nil))
	status := &metav1.Status{Message: "as it is"}
	assert.Same(t, status, apierr.RedactEvent(configMaps, status))
}

func TestRedactKeepsWhatTheAnswerProves(t *testing.T) {
	assert.True(t, apierr.IsObjectNotFound(apierr.Redact(secrets, apierrors.NewNotFound(secrets, "s")), "s"))
	assert.True(t, apierr.IsTerminal(apierr.Redact(secrets, apierrors.NewBadRequest(canary))))
	assert.True(t, apierrors.IsConflict(apierr.Redact(secrets, apierrors.NewConflict(secrets, "s", errors.New(canary)))))
}

func TestRedactEvent(t *testing.T) {
	expired := apierrors.NewResourceExpired(canary).Status()
	undecodable := apierrors.NewClientErrorReporter(500, "GET", "ClientWatchDecoding").
		AsObject(fmt.Errorf("unable to decode an event from the watch stream: %w", undecoded(t, `{"data":"`+canary+`"}`)))
	later := apierrors.NewTooManyRequests(canary, 7).Status()
	secret := &unstructured.Unstructured{Object: map[string]any{"kind": "Secret", "apiVersion": "v1", "data": map[string]any{"key": canary}}}
	for name, object := range map[string]runtime.Object{"expired": &expired, "undecodable": undecodable, "later": &later, "a Secret": secret} {
		t.Run(name, func(t *testing.T) {
			before, after := apierrors.FromObject(object), apierrors.FromObject(apierr.RedactEvent(secrets, object))
			require.Contains(t, fmt.Sprintf("%v %+v", before, object), canary)
			assert.NotContains(t, fmt.Sprintf("%v %+v", after, apierr.RedactEvent(secrets, object)), canary)
			if name != "a Secret" {
				assert.Equal(t, apierrors.ReasonForError(before), apierrors.ReasonForError(after))
			}
			seconds, suggested := apierrors.SuggestsClientDelay(after)
			wanted, told := apierrors.SuggestsClientDelay(before)
			assert.Equal(t, wanted, seconds)
			assert.Equal(t, told, suggested)
		})
	}
}
