package app

import (
	"net/http"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/impersonate"
)

// clients are the ways to the API server.
type clients struct {
	discovery *discovery.DiscoveryClient
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	// content and writes send requests in the names of the users that their contexts name.
	content dynamic.Interface
	writes  metadata.Interface
	access  authorizationclient.SelfSubjectAccessReviewInterface
}

func newClients(config *rest.Config, http *http.Client) (clients, error) {
	var c clients
	var err error
	if c.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, http); err != nil {
		return c, err
	}
	if c.dynamic, err = dynamic.NewForConfigAndClient(config, http); err != nil {
		return c, err
	}
	if c.metadata, err = metadata.NewForConfigAndClient(config, http); err != nil {
		return c, err
	}
	named, err := impersonate.NewClient(config, http)
	if err != nil {
		return c, err
	}
	if c.content, err = dynamic.NewForConfigAndClient(config, named); err != nil {
		return c, err
	}
	if c.writes, err = metadata.NewForConfigAndClient(config, named); err != nil {
		return c, err
	}
	authorization, err := authorizationclient.NewForConfigAndClient(config, named)
	if err != nil {
		return c, err
	}
	c.access = authorization.SelfSubjectAccessReviews()
	return c, nil
}
