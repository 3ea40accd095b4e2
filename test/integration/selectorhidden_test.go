package integration_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// withoutSource takes the annotation with the source off a copy.
const withoutSource = `{"metadata":{"annotations":{"projection.sh/source":null}}}`

// A copy whose name says nothing of its source has to say which one it is.
func TestSourceThatACopySaysIsRepaired(t *testing.T) {
	w := newWorld(t)
	one := w.member(w.selected())
	a := w.shares("a")
	w.app(a, `"shop"`)
	w.namedBy(byApp)
	copied := w.Exists(a, one, "shop", isOf("a"))
	said := func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[v1.AnnotationSource] == "ConfigMap/"+w.Home+"/a"
	}
	for _, edit := range []string{withoutSource, `{"metadata":{"annotations":{"projection.sh/source":"ConfigMap/` + w.Home + `/other"}}}`} {
		w.quietly([]string{one}, w.settles)
		requests := w.quietly([]string{one}, func() {
			w.Merge(copied, edit)
			w.Exists(a, one, "shop", said)
		})
		assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
		assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
	}
}

// a cannot be read, and would have the name of the copy of b. Somebody takes the annotation with the source off the copy, and the owner of b opts out.
func TestOptOutReachesACopyThatHidesItsSource(t *testing.T) {
	w := newWorld(t)
	a, b := w.shares("a"), w.shares("b")
	w.app(a, `"shop"`)
	w.app(b, `"shop"`)
	w.grant("reader", w.Away, "create patch")
	w.grantNamed("b")
	w.knows("reader", false, authorizationv1.ResourceAttributes{Namespace: w.Home, Verb: "get", Resource: "configmaps", Name: "a"})
	rule := w.selectingAs(asAccount("reader"), func(rule *v1.Projection) {
		rule.Spec.Destination.NameExpression = "source.metadata.labels['app']"
	})
	copied := w.Exists(b, w.Away, "shop", isOf("b"))
	w.Says(rule, v1.ConditionSourceResolved, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	w.settles()
	w.Merge(copied, withoutSource)
	w.Merge(b, `{"data":{"color":"blue"}}`)
	w.Exists(b, w.Away, "shop", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
	w.Merge(b, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	w.gone(b, w.Away, "shop")
}

// Somebody takes the annotation with the source off a copy. Then no name results for its source any more.
func TestCopyThatHidesItsSourceStaysWithoutAName(t *testing.T) {
	w := newWorld(t)
	one := w.member(w.selected())
	a := w.shares("a")
	w.app(a, `"x"`)
	rule := w.namedBy(`"source.metadata.labels['app']"`)
	copied := w.Exists(a, one, "x", isOf("a"))
	w.Ready(rule)
	w.Merge(copied, withoutSource)
	w.app(a, "null")
	w.Says(rule, v1.ConditionDestinationWritten, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.settles()
	assert.Equal(t, copied.GetUID(), w.Exists(a, one, "x", fixture.Anything).GetUID())
}

// deniedByWebhook is the answer of an API server with a webhook that refuses a request.
func deniedByWebhook(request *http.Request) *http.Response {
	return &http.Response{
		Status: "403 Forbidden", StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"denied by a webhook","reason":"Forbidden","code":403}`)),
	}
}

// a and b have one name, and a has the copy. That of b is refused. The owner of a takes off the label by which the rule selects, and opts out.
func TestCopyGoesWithItsSourceWhileTheNextIsRefused(t *testing.T) {
	for name, steps := range map[string][]string{
		"one edit":  {`{"metadata":{"labels":{"share":null},"annotations":{"projection.sh/projectable":"false"}}}`},
		"two edits": {`{"metadata":{"labels":{"share":null}}}`, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{fixture.New(t, cluster.Config)}
			one := w.member(w.selected())
			a := w.shares("a")
			w.app(a, `"shop"`)
			w.namedBy(`"source.metadata.labels['app']"`)
			w.Exists(a, one, "shop", isOf("a"))
			w.app(w.shares("b"), `"shop"`)
			w.settles()
			hook(t, func(r *http.Request) *http.Response {
				if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/namespaces/"+one+"/configmaps/shop") {
					return deniedByWebhook(r)
				}
				return nil
			})
			for _, step := range steps {
				w.Merge(a, step)
				w.settles()
			}
			w.gone(a, one, "shop")
		})
	}
}

// The rule cannot be carried out. Somebody takes the annotation with the source off a copy, which nothing repairs, and the owner of the source opts out.
func TestOptOutReachesACopyThatHidesItsSourceOfARuleThatIsNotValid(t *testing.T) {
	for name, wrong := range map[string]string{
		"its names":  `{"spec":{"destination":{"nameExpression":"nothing"}}}`,
		"its fields": `{"spec":{"overlay":{"fields":[{"path":"data.x","expression":"nothing"}]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			one := w.member(w.selected())
			a, b := w.shares("a"), w.shares("b")
			w.app(a, `"x"`)
			w.app(b, `"y"`)
			rule := w.namedBy(`"source.metadata.labels['app']"`)
			copied := w.Exists(a, one, "x", isOf("a"))
			w.Exists(b, one, "y", isOf("b"))
			w.Ready(rule)
			w.Merge(rule, wrong)
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
			w.Merge(copied, withoutSource)
			w.settles()
			w.Exists(b, one, "y", isOf("b"))
			w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
			w.gone(a, one, "x")
			w.Exists(b, one, "y", isOf("b"))
		})
	}
}
