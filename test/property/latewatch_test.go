package property_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

// lateBody is the body of a watch, everything of which arrives later than it was sent, as from an API server under load.
type lateBody struct {
	*io.PipeReader
	body io.Closer
}

// newLateBody returns the body with that delay. However much is sent at a time, nothing is later than that.
func newLateBody(body io.ReadCloser, delay time.Duration) io.ReadCloser {
	type chunk struct {
		data []byte
		due  time.Time
		err  error
	}
	reader, writer := io.Pipe()
	chunks := make(chan chunk, 1<<16)
	go func() {
		defer close(chunks)
		for buffer := make([]byte, 1<<16); ; {
			n, err := body.Read(buffer)
			chunks <- chunk{bytes.Clone(buffer[:n]), time.Now().Add(delay), err}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		for next := range chunks {
			<-time.After(time.Until(next.due))
			_, _ = writer.Write(next.data) // fails when the reader is closed; then the body is, too, and ends the chunks
			if next.err != nil {
				_ = writer.CloseWithError(next.err)
			}
		}
	}()
	return lateBody{reader, body}
}

func (b lateBody) Close() error { return errors.Join(b.PipeReader.Close(), b.body.Close()) }

// TestCopyThatIsWantedAgainBeforeItsEndIsKnown takes the label off a namespace, and puts it on again as soon as the copy is
// gone, while the operator hears of its copies late.
func TestCopyThatIsWantedAgainBeforeItsEndIsKnown(t *testing.T) {
	t.Parallel()
	d := newStage(t, 0x6001, "n1", "n2", "n3")
	d.config = env.Intercept(d.config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		query := request.URL.Query()
		if err == nil && query.Get("watch") != "" && strings.Contains(query.Get("labelSelector"), "owned-by") {
			response.Body = newLateBody(response.Body, time.Second)
		}
		return response, err
	})
	d.red("n2")
	d.red("n3")
	d.source("n1", "a")
	d.start()
	d.fanOut("c1", "n1", "a")
	d.quiet()

	copied := oracle.PlaceOf(d.at(configMap, "n2", "a"))
	for range 3 {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("n2")}}
		require.NoError(t, d.patch(namespace, `{"metadata":{"labels":{"group":null}}}`))
		require.Eventually(t, func() bool {
			state, err := d.state()
			return err == nil && state.Objects[copied] == nil
		}, timeout, interval)
		d.red("n2")
		d.quiet()
	}
}
