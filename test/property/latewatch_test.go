package property_test

import (
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

// delayed delays what is read from a watch, as an API server under load does.
type delayed struct {
	io.ReadCloser
	delay time.Duration
}

func (b delayed) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	<-time.After(b.delay)
	return n, err
}

// TestCopyThatIsWantedAgainBeforeItsEndIsKnown takes the label off a namespace, and puts it on again as soon as the copy is
// gone, while the operator hears of its copies late.
func TestCopyThatIsWantedAgainBeforeItsEndIsKnown(t *testing.T) {
	t.Parallel()
	d := newStage(t, 0x6001, "n1", "n2", "n3")
	d.config = env.Intercept(d.config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		query := request.URL.Query()
		if err == nil && query.Get("watch") != "" && strings.Contains(query.Get("labelSelector"), "owned-by") {
			response.Body = delayed{response.Body, time.Second}
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
