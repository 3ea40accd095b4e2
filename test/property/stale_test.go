package property_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
	"projection.sh/operator/test/oracle"
)

// staleStory is something that a stale API server does not know.
type staleStory struct {
	act func(*driver)
	// after is what follows when the operator has done its part; nil: nothing.
	after func(*driver)
}

var staleStories = map[string]staleStory{
	"source edited": {act: func(d *driver) {
		require.NoError(d.t, d.write(configMap, "n1", "a", "blue", true, `"true"`, 1))
	}},
	"source deleted": {act: func(d *driver) {
		source := d.at(configMap, "n1", "a")
		require.NoError(d.t, d.client.Delete(d.t.Context(), source))
		delete(d.foreign, oracle.PlaceOf(source))
	}},
	"source opted out": {act: func(d *driver) {
		require.NoError(d.t, d.write(configMap, "n1", "a", "red", false, `"false"`, 1))
	}},
	"rule deleted, and created again": {
		act: func(d *driver) { require.NoError(d.t, d.client.Delete(d.t.Context(), d.c1())) },
		after: func(d *driver) {
			require.Eventually(d.t, func() bool {
				rule := d.c1()
				return apierrors.IsNotFound(d.client.Get(d.t.Context(), client.ObjectKeyFromObject(rule), rule))
			}, timeout, interval)
			d.fanOut("c1", "n1", "a", d.name("n3"))
		},
	},
	"copy handed over": {act: func(d *driver) {
		copied := d.at(configMap, "n2", "a")
		require.NoError(d.t, d.patch(copied, fmt.Sprintf(`{"metadata":{"annotations":{%q:null}}}`, v1.AnnotationOwnedByClusterProjection)))
		d.foreign.Note(copied)
		clear(d.owners)
	}},
	"namespace leaves the selector, another one enters it": {act: func(d *driver) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("n2")}}
		require.NoError(d.t, d.patch(namespace, `{"metadata":{"labels":{"group":null}}}`))
		d.red("n4")
	}},
}

func (d *driver) c1() *v1.ClusterProjection {
	return &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name("c1")}}
}

// TestStaleAPIServer switches an operator from an API server to a stale one, and back, and starts it on the stale
// one. The stale server answers watches, and lists that may be old, from its watch cache: its connection to etcd stalls.
func TestStaleAPIServer(t *testing.T) {
	t.Parallel()
	etcd, err := env.AddressOf(cluster.Storage())
	require.NoError(t, err)
	storage, err := faults.NewRelay(etcd)
	require.NoError(t, err)
	t.Cleanup(storage.Close)
	stale, err := cluster.StartSecondServer(t.Context(), storage.Address())
	require.NoError(t, err)
	t.Cleanup(stale.Kill)
	for i, name := range slices.Sorted(maps.Keys(staleStories)) {
		t.Run(name, func(t *testing.T) { newStaleStage(t, uint64(0x9001+i), storage, stale).tell(staleStories[name]) })
	}
}

// staleStage is a stage whose operator reaches one of two API servers.
type staleStage struct {
	*driver

	storage *faults.Relay // between the stale server and etcd
	stale   *env.SecondServer
	server  *faults.Relay // between the operator and its API server
	fresh   string
	touched int
}

func newStaleStage(t *testing.T, seed uint64, storage *faults.Relay, stale *env.SecondServer) *staleStage {
	t.Helper()
	s := &staleStage{driver: newStage(t, seed, "n1", "n2", "n3", "n4"), storage: storage, stale: stale}
	var err error
	s.fresh, err = env.AddressOf(cluster.Config.Host)
	require.NoError(t, err)
	s.server, err = faults.NewRelay(s.fresh)
	require.NoError(t, err)
	t.Cleanup(s.server.Close)
	s.config = rest.CopyConfig(s.config)
	s.config.Host = "https://" + s.server.Address()
	s.config = env.Intercept(s.config, withoutStreamedLists)
	s.start() // each of its watches tells of something: one that does not, and is cut at once, starts over
	s.red("n2")
	s.red("n3")
	s.source("n1", "a")
	s.fanOut("c1", "n1", "a")
	s.source("n1", "probe")
	s.fanOut("c2", "n1", "probe", s.name("n3"))
	s.quiet()
	return s
}

// withoutStreamedLists answers as an API server does that does not send lists as events. Informers then begin with a list that may be old.
func withoutStreamedLists(request *http.Request, next http.RoundTripper) (*http.Response, error) {
	if request.URL.Query().Get("sendInitialEvents") == "" {
		return next.RoundTrip(request)
	}
	const invalid = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`
	return &http.Response{
		StatusCode: http.StatusUnprocessableEntity, Request: request, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(invalid)),
	}, nil
}

// tell lets the story happen while the operator is at the stale server, and restarts the operator there when all is as it has to be.
func (s *staleStage) tell(story staleStory) {
	s.t.Helper()
	s.touch()
	s.quiet()
	require.Eventually(s.t, s.isLevel, timeout, interval)
	s.storage.Stall()
	defer s.storage.Resume()
	s.touch()
	s.quiet()
	require.False(s.t, s.isLevel(), "the second API server is not stale")

	changedOver := s.mark()
	s.server.Switch(s.stale.Address())
	story.act(s.driver)
	s.answeredByStaleServer(changedOver, "watch", "", "configmaps", "namespaces", "clusterprojections")
	s.server.Switch(s.fresh)
	s.quiet()
	if story.after != nil {
		story.after(s.driver)
		s.quiet()
	}

	inSync, restarted := fixture.Mark(s.t, cluster), s.mark()
	s.stop((*manager.InProcess).Kill)
	s.server.Switch(s.stale.Address())
	s.operator = manager.Start(s.config, func(o *app.Options) { o.WatchLabelSelector = worldLabel + "=" + s.id })
	s.answeredByStaleServer(restarted, "list", "resourceVersion=0", "namespaces", "clusterprojections")
	require.False(s.t, s.isLevel(), "the second API server is not stale")
	s.server.Switch(s.fresh)
	s.touch()
	s.quiet()
	s.storage.Resume()
	s.server.Switch(s.stale.Address())
	s.touch()
	s.quiet()
	for _, request := range append(s.since(changedOver), fixture.RequestsSince(s.t, cluster, inSync, s.user)...) {
		reads := slices.Contains([]string{"get", "list", "watch"}, request.Verb)
		written := request.Resource == "configmaps" && request.Name == "a" && !reads && request.Code < http.StatusMultipleChoices
		assert.False(s.t, written, "%s: all was as it has to be", request)
	}
}

// touch gives the operator something to do, which shows that it does: the source of another rule changes.
func (s *staleStage) touch() {
	s.t.Helper()
	s.touched++
	require.NoError(s.t, s.write(configMap, "n1", "probe", fmt.Sprintf("color-%d", s.touched), false, `"true"`, 1))
}

// isLevel reports whether the watch caches of the second server have what the operator works on.
func (s *staleStage) isLevel() bool {
	s.t.Helper()
	config := rest.CopyConfig(cluster.Config)
	config.Host = "https://" + s.stale.Address()
	reader, cached := fixture.Client(s.t, config), metav1.ListOptions{ResourceVersion: "0"}
	for _, list := range []client.ObjectList{&v1.ProjectionList{}, &v1.ClusterProjectionList{}, &corev1.NamespaceList{}} {
		if reader.List(s.t.Context(), list, &client.ListOptions{Raw: &cached}) != nil {
			return false
		}
	}
	served := s.at(configMap, "n1", "probe")
	err := reader.Get(s.t.Context(), client.ObjectKeyFromObject(served), served, &client.GetOptions{Raw: &metav1.GetOptions{ResourceVersion: "0"}})
	return err == nil && served.GetLabels()["color"] == fmt.Sprintf("color-%d", s.touched)
}

// answeredByStaleServer waits until the stale server has answered such a request of the operator about each of the resources.
func (s *staleStage) answeredByStaleServer(mark env.AuditMark, verb, query string, resources ...string) {
	s.t.Helper()
	var answered map[string]string
	require.Eventually(s.t, func() bool {
		answered = map[string]string{}
		for _, request := range s.since(mark) {
			if request.Verb == verb && request.Code == http.StatusOK && strings.Contains(request.URI, query) {
				answered[request.Resource] = request.URI
			}
		}
		return !slices.ContainsFunc(resources, func(resource string) bool { return answered[resource] == "" })
	}, timeout, interval, "the stale server answers no %s", verb)
	s.t.Logf("answered by the stale server: %s of %v", verb, slices.Sorted(maps.Keys(answered)))
}

func (s *staleStage) mark() env.AuditMark {
	s.t.Helper()
	mark, err := s.stale.AuditMark()
	require.NoError(s.t, err)
	return mark
}

// since returns the requests of the operator that the stale server has answered.
func (s *staleStage) since(mark env.AuditMark) []env.Request {
	s.t.Helper()
	requests, err := s.stale.RequestsSince(mark, s.user)
	require.NoError(s.t, err)
	return requests
}
