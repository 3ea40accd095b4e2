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
	"k8s.io/client-go/rest"

	"projection.sh/operator/test/oracle"
)

// late delays the events of watches on copies, as an API server under load does.
type late struct {
	next  http.RoundTripper
	delay time.Duration
}

func (l late) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	query := request.URL.Query()
	if err == nil && query.Get("watch") != "" && strings.Contains(query.Get("labelSelector"), "owned-by") {
		response.Body = lateBody{response.Body, l.delay}
	}
	return response, err
}

type lateBody struct {
	io.ReadCloser
	delay time.Duration
}

func (b lateBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	<-time.After(b.delay)
	return n, err
}

// TestCopyThatIsWantedAgainBeforeItsEndIsKnown takes the label off a namespace, and puts it on again as soon as the copy is
// gone, while the operator hears of its copies late.
func TestCopyThatIsWantedAgainBeforeItsEndIsKnown(t *testing.T) {
	t.Parallel()
	d := newStage(t, 0x6001, "n1", "n2", "n3")
	d.config = rest.CopyConfig(d.config)
	d.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return late{next, time.Second} })
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
		}, soon, tick)
		d.red("n2")
		d.quiet()
	}
}
