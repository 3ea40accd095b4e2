package sim

import (
	"context"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// call is a request to a cluster.
type call struct {
	*http.Request

	cluster *Cluster
	answer  answer
	kind    *kind // nil: it is for no object
	at      key   // without a name: it is for all objects
}

// serve serves all clusters.
func serve(writer http.ResponseWriter, request *http.Request) {
	cluster, ok := request.Context().Value(clusterKey{}).(*Cluster)
	if !ok || !cluster.delay(request.Context()) {
		return
	}
	c := call{Request: request, cluster: cluster}
	f, acceptable := accepted(request.Header.Get("Accept"))
	c.answer = answer{writer, f}
	switch {
	case !cluster.isKnown(request):
		c.answer.error(apierrors.NewUnauthorized("Unauthorized"))
	case !acceptable:
		c.answer.error(&apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable, Message: "only JSON and protobuf are served",
		}})
	default:
		c.route()
	}
}

// route finds what the request is for.
func (c call) route() {
	path := strings.Trim(c.URL.Path, "/")
	if serve := others[path]; serve != nil {
		c.cluster.note(c.Method + " /" + path)
		serve(c)
		return
	}
	resource, at, ok := parse(path)
	if ok {
		c.kind, c.at = kindOf(resource), at
	}
	if c.kind == nil || c.kind.namespaced != (at.namespace != "") && (at.name != "" || !c.kind.namespaced) {
		c.cluster.note(c.Method + " /" + path)
		c.notServed(resource.GroupVersion())
		return
	}
	c.cluster.note(c.verb() + " " + c.kind.Resource)
	c.serveObjects()
}

// notServed says what the API server says of a path that it does not know.
func (c call) notServed(version schema.GroupVersion) {
	if slices.Contains(groupVersions(), version) {
		c.answer.error(apierrors.NewGenericServerResponse(http.StatusNotFound, c.Method, schema.GroupResource{}, "", "", 0, true))
		return
	}
	http.NotFound(c.answer, c.Request)
}

// parse returns what a path names: /api/v1/namespaces/a/configmaps/b, and the like.
func parse(path string) (schema.GroupVersionResource, key, bool) {
	parts := strings.Split(path, "/")
	var version schema.GroupVersion
	switch {
	case parts[0] == "api" && len(parts) > 2:
		version.Version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		version, parts = schema.GroupVersion{Group: parts[1], Version: parts[2]}, parts[3:]
	default:
		return schema.GroupVersionResource{}, key{}, false
	}
	var at key
	if parts[0] == "namespaces" && len(parts) > 2 {
		at.namespace, parts = parts[1], parts[2:]
	}
	if len(parts) == 2 {
		at.name, parts = parts[1], parts[:1]
	}
	return version.WithResource(parts[0]), at, len(parts) == 1
}

// verb returns that of the request, as an audit log has it.
func (c call) verb() string {
	switch c.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch, http.MethodDelete:
		return strings.ToLower(c.Method)
	}
	switch {
	case c.isWatch():
		return "watch"
	case c.at.name == "":
		return "list"
	default:
		return "get"
	}
}

func (c call) isWatch() bool {
	value := c.URL.Query().Get("watch")
	return value == "true" || value == "1"
}

// serveObjects serves a request for objects.
func (c call) serveObjects() {
	var err error
	switch verb := c.verb(); {
	case verb == "get":
		err = c.get()
	case verb == "list":
		err = c.list()
	case verb == "watch":
		err = c.watch()
	case verb == "create" && c.at.name == "":
		err = c.create()
	case verb == "update" && c.at.name != "":
		err = c.update()
	case verb == "patch" && c.at.name != "":
		err = c.patch()
	case verb == "delete" && c.at.name != "":
		err = c.delete()
	default:
		err = apierrors.NewMethodNotSupported(c.kind.GroupResource(), verb)
	}
	if err != nil {
		c.answer.error(err)
	}
}

func (c call) get() error {
	found, exists := c.cluster.store.get(c.kind, c.at)
	if !exists {
		return apierrors.NewNotFound(c.kind.GroupResource(), c.at.name)
	}
	c.answer.object(http.StatusOK, c.answer.view(found))
	return nil
}

// context returns that of the request.
func (c call) context() context.Context { return c.Request.Context() }
