package source_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/source"
)

// TestSecretThatCannotBeReadIsNotQuoted lets the API server answer with what is no object.
func TestSecretThatCannotBeReadIsNotQuoted(t *testing.T) {
	const canary = "c4n4ry"
	secret := source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Resource: "secrets"}
	for name, body := range map[string]string{
		"no kind": `{"apiVersion":"v1","metadata":{"name":"token"},"data":{"key":"` + canary + `"}}`,
		"cut":     `{"apiVersion":"v1","kind":"Secret","data":{"key":"` + canary,
		"no JSON": canary + `!`,
	} {
		t.Run(name, func(t *testing.T) {
			config := &rest.Config{Host: "http://nobody.invalid", Transport: transport(func(request *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: http.StatusOK, Request: request, Header: http.Header{"Content-Type": {"application/json"}},
					Body: io.NopCloser(strings.NewReader(body)),
				}, nil
			})}
			_, err := source.NewReader(dynamic.NewForConfigOrDie(config), metadata.NewForConfigOrDie(config)).
				Read(t.Context(), impersonate.Operator(), secret, v1.SourceRef{Kind: "Secret", Namespace: "home", Name: "token"}, "")
			require.Error(t, err)
			assert.NotContains(t, err.Error(), canary)
			assert.Contains(t, err.Error(), "could not be read")
		})
	}
}
