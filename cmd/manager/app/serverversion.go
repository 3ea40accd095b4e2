package app

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// serverVersion is the version of the API server, such as v1.36.3, as it was when it was asked last.
type serverVersion struct {
	client discovery.ServerVersionInterfaceWithContext
	known  atomic.Value
	asks   chan struct{} // holds one if the API server is to be asked again
}

const (
	// versionTimeout is how long it may take to ask for the version.
	versionTimeout = 10 * time.Second
	// versionRetry is when to ask again an API server that did not answer.
	versionRetry = 10 * time.Second
)

// newServerVersion asks the API server.
func newServerVersion(ctx context.Context, client discovery.ServerVersionInterfaceWithContext) (*serverVersion, error) {
	v := &serverVersion{client: client, asks: make(chan struct{}, 1)}
	_, err := v.refresh(ctx)
	return v, err
}

// String returns the version.
func (v *serverVersion) String() string {
	version, _ := v.known.Load().(string)
	return version
}

// askAgain has the API server asked again. It does not block.
//
// Example: an API server is upgraded. All of its connections end, and with them a watch, which begins again at an API server that may be
// the new one. Nothing else tells of the upgrade.
func (v *serverVersion) askAgain() {
	select {
	case v.asks <- struct{}{}:
	default:
	}
}

// follow asks when it is asked to, until the context ends, and calls the function when the version has changed.
func (v *serverVersion) follow(ctx context.Context, changed func()) {
	for {
		select {
		case <-v.asks:
		case <-ctx.Done():
			return
		}
		differs, err := v.refresh(ctx)
		switch {
		case err != nil:
			log.FromContext(ctx).V(1).Info("The API server does not report its version", "reason", err.Error())
			time.AfterFunc(versionRetry, v.askAgain)
		case differs:
			log.FromContext(ctx).Info("The API server has another version now", "version", v.String())
			changed()
		}
	}
}

// refresh asks the API server, and reports whether its version differs from the one that is known.
func (v *serverVersion) refresh(ctx context.Context) (differs bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	version, err := v.client.ServerVersionWithContext(ctx)
	if err != nil {
		return false, fmt.Errorf("ask the API server for its version: %w", err)
	}
	return v.known.Swap(version.GitVersion) != version.GitVersion, nil
}
