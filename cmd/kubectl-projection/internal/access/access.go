// Package access reads an API server with the rights of the caller of the plugin. Lists come in pages, and without the content of objects
// where only their metadata matter.
package access

import (
	"errors"
	"fmt"
	"regexp"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Cluster is an API server, as the caller may use it.
type Cluster struct {
	Content   dynamic.Interface
	Metadata  metadata.Interface
	Mapper    meta.RESTMapper
	Discovery discovery.DiscoveryInterfaceWithContext
}

// Most commands make a few hundred requests at most. The API server itself limits who sends too many.
const (
	qps   = 200
	burst = 400
)

// New returns the API server that the flags of kubectl name.
func New(flags genericclioptions.RESTClientGetter, userAgent string) (*Cluster, error) {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	// Warnings of an admission policy may quote the object.
	config.WarningHandler, config.WarningHandlerWithContext = nil, rest.NoWarnings{}
	config.QPS, config.Burst, config.UserAgent = qps, burst, userAgent
	c := &Cluster{}
	if c.Content, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.Metadata, err = metadata.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.Mapper, err = flags.ToRESTMapper(); err != nil {
		return nil, err
	}
	c.Discovery, err = discovery.NewDiscoveryClientForConfig(config)
	return c, err
}

// IsUnknown reports whether the error says that the caller may not read something. What it is stays unknown; that is no failure.
func IsUnknown(err error) bool { return apierrors.IsForbidden(err) }

// lacksPermission matches what the API server says to who may not make a request, whatever the request is about.
var lacksPermission = regexp.MustCompile(`is forbidden: User "[^"]*" cannot (patch|create|update) resource `)

// MayNotWrite reports whether the caller may not make the request. Quotas, policies and webhooks forbid writes with other words.
func MayNotWrite(err error) bool {
	var answer apierrors.APIStatus
	return errors.As(err, &answer) && apierrors.IsForbidden(err) && lacksPermission.MatchString(answer.Status().Message)
}

// ErrNotInstalled says that the API server does not know rules.
var ErrNotInstalled = errors.New("the API server does not serve projections.projection.sh: install the operator, or choose another context with --context")

// Explain returns the error of a request about rules.
func Explain(err error, doing string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err) && !hasName(err):
		return ErrNotInstalled
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// hasName reports whether the error is about an object, and not about a kind that is not served.
func hasName(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && status.Status().Details != nil && status.Status().Details.Name != ""
}
