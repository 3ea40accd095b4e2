package reach

import (
	"net/http"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/impersonate"
)

// Clients are the ways to an API server.
type Clients struct {
	Discovery *discovery.DiscoveryClient
	Dynamic   dynamic.Interface
	Metadata  metadata.Interface
	// Content, Writes and Access send requests in the names of the users that their contexts name.
	Content dynamic.Interface
	Writes  metadata.Interface
	Access  authorizationclient.SelfSubjectAccessReviewInterface
}

// NewClients returns the clients for the configuration, which send their requests by the HTTP client.
func NewClients(config *rest.Config, http *http.Client) (Clients, error) {
	var c Clients
	var err error
	if c.Discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, http); err != nil {
		return c, err
	}
	if c.Dynamic, err = dynamic.NewForConfigAndClient(config, http); err != nil {
		return c, err
	}
	if c.Metadata, err = metadata.NewForConfigAndClient(config, http); err != nil {
		return c, err
	}
	named, err := impersonate.NewClient(config, http)
	if err != nil {
		return c, err
	}
	if c.Content, err = dynamic.NewForConfigAndClient(config, named); err != nil {
		return c, err
	}
	if c.Writes, err = metadata.NewForConfigAndClient(config, named); err != nil {
		return c, err
	}
	authorization, err := authorizationclient.NewForConfigAndClient(config, named)
	if err != nil {
		return c, err
	}
	c.Access = authorization.SelfSubjectAccessReviews()
	return c, nil
}
