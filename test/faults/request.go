package faults

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// Discover is the verb of requests that ask what the API server serves.
const Discover = "discover"

// Request is what a rule looks at.
type Request struct {
	Verb string
	// Resource is the plural of the kind, with the subresource if there is one: clusterprojections/status.
	Resource        string
	Namespace, Name string
	// Selector is the label selector of a list or watch.
	Selector string
	Path     string
}

var resolver = request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

func requestOf(from *http.Request) Request {
	asked := Request{Verb: strings.ToLower(from.Method), Path: from.URL.Path, Selector: from.URL.Query().Get("labelSelector")}
	info, err := resolver.NewRequestInfo(from)
	switch {
	case err != nil:
	case info.IsResourceRequest:
		asked.Verb, asked.Namespace, asked.Name = info.Verb, info.Namespace, info.Name
		asked.Resource = info.Resource
		if info.Subresource != "" {
			asked.Resource += "/" + info.Subresource
		}
	case strings.HasPrefix(from.URL.Path, "/api"):
		asked.Verb = Discover
	}
	return asked
}
