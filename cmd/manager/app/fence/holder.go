package fence

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	coordinationv1 "k8s.io/api/coordination/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// readsLease reports whether the request reads the lease.
func (f *Fence) readsLease(request *http.Request) bool {
	return request.Method == http.MethodGet && f.isOfLease(request)
}

// observe reads the lease, and notes whether it names another holder than this process did when it renewed it last. One without a holder
// is free, and still this process's to renew.
func (t fencedTransport) observe(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err
	}
	content, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	if holder, known := holderOf(content); known && holder != "" {
		t.fence.observe(holder)
	}
	return response, nil
}

// observe notes who holds the lease. A process that has never led has none to lose.
func (f *Fence) observe(holder string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = f.taken || !f.renewed.IsZero() && holder != f.identity
}

// holderIn returns the holder whom the request names in the lease.
func holderIn(request *http.Request) (holder string, known bool) {
	if request.GetBody == nil {
		return "", false
	}
	body, err := request.GetBody()
	if err != nil {
		return "", false
	}
	defer func() { _ = body.Close() }() // it is in memory
	content, err := io.ReadAll(body)
	if err != nil {
		return "", false
	}
	return holderOf(content)
}

// holderOf returns the holder that an encoded lease names; "" if it names none.
func holderOf(content []byte) (holder string, known bool) {
	var lease coordinationv1.Lease
	_, kind, err := clientgoscheme.Codecs.UniversalDeserializer().Decode(content, nil, &lease)
	if err != nil || kind.GroupKind() != coordinationv1.SchemeGroupVersion.WithKind("Lease").GroupKind() {
		return "", false
	}
	if lease.Spec.HolderIdentity == nil {
		return "", true
	}
	return *lease.Spec.HolderIdentity, true
}
