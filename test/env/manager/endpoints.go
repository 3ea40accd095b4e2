package manager

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"projection.sh/operator/test/env"
)

// timeout bounds how long a manager may take to answer, and to get ready.
const timeout = time.Minute

// off is the address at which nothing is served.
const off = "0"

// endpoints are the URLs at which a manager answers.
type endpoints struct{ probes, metrics string }

func endpointsAt(probes, metrics string, secure bool) endpoints {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	return endpoints{probes: "http://" + probes, metrics: scheme + metrics + "/metrics"}
}

// MetricsURL returns where the manager serves metrics.
func (e endpoints) MetricsURL() string { return e.metrics }

// Metrics returns what the manager measures. It serves that to everybody.
func (e endpoints) Metrics(ctx context.Context) (string, error) {
	status, body := Get(ctx, e.metrics, "")
	if status != http.StatusOK {
		return "", fmt.Errorf("read the metrics: status %d", status)
	}
	return body, nil
}

// Probe returns the status and the body at a path beside the probes; 0 while nobody answers.
func (e endpoints) Probe(ctx context.Context, path string) (status int, body string) {
	return Get(ctx, e.probes+path, "")
}

// ready returns when the manager is ready, or why it does not get there.
func (e endpoints) ready(ctx context.Context, ended <-chan struct{}) error {
	late := time.After(timeout)
	for {
		if status, _ := e.Probe(ctx, "/readyz"); status == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ended:
			return errEnded
		case <-late:
			return fmt.Errorf("the manager is not ready after %s", timeout)
		case <-time.After(env.Interval):
		}
	}
}

var errEnded = errors.New("the manager has ended by itself")

// untilReady starts a manager and returns when it is ready. One that ends, because somebody else has taken its port, is
// replaced.
func untilReady[M interface {
	Ready(ctx context.Context) error
	Stop() error
}](ctx context.Context, start func() (M, error)) (M, error) {
	for try := 1; ; try++ {
		m, err := start()
		if err != nil {
			return m, err
		}
		if err = m.Ready(ctx); err == nil {
			return m, nil
		}
		stopped := m.Stop()
		if !errors.Is(err, errEnded) || try == 3 {
			return m, errors.Join(err, stopped)
		}
	}
}

// anyCertificate is a client that takes the certificate that a manager has made for itself.
var anyCertificate = &http.Client{
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	Timeout:   timeout,
}

// Get returns the status and the body of an answer; 0 while nobody answers. A token, if there is one, is the client's
// credential.
func Get(ctx context.Context, url, token string) (status int, body string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, ""
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := anyCertificate.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(content)
}
