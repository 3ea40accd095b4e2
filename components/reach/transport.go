package reach

import (
	"net/http"
	"net/url"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/remotecluster"
)

// ClientsOf returns the clients of a cluster. Each request but a watch takes a slot of the cluster, and a request that changes something is only sent if
// this process may write there. Nil: there is no connection, and every request fails.
func ClientsOf(member *remotecluster.Member) Clients {
	config := &rest.Config{Host: "https://unknown.invalid", Transport: unknown{}}
	if member != nil {
		config = member.Config()
		config.Transport = slotted{member.Slots(), writable{member, config.Transport}}
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil { // the configuration is one of ours
		panic(err)
	}
	clients, err := NewClients(config, client)
	if err != nil {
		panic(err)
	}
	return clients
}

// unknown is the way to a cluster of which nothing is known.
type unknown struct{}

func (unknown) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &fleet.UnreachableError{}
}

// slotted takes a slot of the cluster for each request that is no watch.
type slotted struct {
	slots *fleet.Slots
	next  http.RoundTripper
}

func (s slotted) RoundTrip(request *http.Request) (*http.Response, error) {
	if isWatch(request.URL) {
		return s.next.RoundTrip(request)
	}
	slot, err := s.slots.Acquire(request.Context())
	if err != nil {
		return nil, err
	}
	response, err := s.next.RoundTrip(request)
	slot.Release(utilnet.IsTimeout(err))
	return response, err
}

func isWatch(of *url.URL) bool {
	value := of.Query().Get("watch")
	return value == "true" || value == "1"
}

// writable passes on no request that changes something while another process may write to the cluster.
type writable struct {
	member interface{ Writable() error }
	next   http.RoundTripper
}

func (w writable) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		if err := w.member.Writable(); err != nil {
			return nil, err
		}
	}
	return w.next.RoundTrip(request)
}
