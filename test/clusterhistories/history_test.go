package clusterhistories_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/env/remotes"
)

// history is one history. What happens depends on the seed alone; what comes of it may depend on who is faster.
type history struct {
	t        *testing.T
	seed     uint64
	rng      *rand.Rand
	id       string
	clusters map[string]*cluster
	stranger *cluster // may answer in the place of one of them
	operator *manager.InProcess
	told     []string

	world world
	// versions are the world as it was, and is.
	versions []version
	// floors are the versions at which everything had settled, but for what has to do with clusters that could not be used.
	floors []floor
	// healed is when a cluster could be reached again.
	healed map[string]time.Time
	// closed are the times since then in which nothing may be written into a cluster.
	closed []closure
	// theirs are the objects that the operator must not change: sources, and what is in the place of copies.
	theirs map[place]mark
}

// version is the world since a moment.
type version struct {
	since time.Time
	world world
}

// floor is a version at which everything had settled, and when that was so.
type floor struct {
	version int
	at      time.Time
}

// closure is a time in which nothing may be written into a cluster. It lasts until now if it has no end.
type closure struct {
	cluster, why string
	from, until  time.Time
}

// mark is what the API server changes when somebody changes an object.
type mark struct {
	uid     types.UID
	version string
}

// auditLog is the audit log of an API server.
type auditLog interface {
	AuditMark() (env.AuditMark, error)
	RequestsSince(mark env.AuditMark, user string) ([]env.Request, error)
}

// cluster is the hub or another cluster.
type cluster struct {
	name     string
	log      auditLog
	client   client.Client
	user     string // the operator
	identity string
	remote   *remotes.Remote // nil: it is the hub
	audited  env.AuditMark   // what was looked at
}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	h := &history{
		t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, seed)), id: fmt.Sprintf("s%x", seed), clusters: map[string]*cluster{},
		world: newWorld(), theirs: map[place]mark{}, healed: map[string]time.Time{},
	}
	h.startOperator()
	t.Cleanup(func() { require.NoError(t, h.operator.Stop()) })
	for _, name := range []string{hubName, eastName, westName} {
		h.clusters[name] = h.open(name)
	}
	h.stranger = &cluster{log: stranger, user: remotes.User}
	h.audit(h.stranger)
	h.begin()
	return h
}

// open returns a cluster with the namespace of the sources in it, and declares it in the hub.
func (h *history) open(name string) *cluster {
	h.t.Helper()
	c := &cluster{name: name, log: planes[name], client: fixture.Client(h.t, planes[name].Config), user: operatorUser}
	require.NoError(h.t, c.client.Create(h.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: h.namespace("home")}}))
	system := &corev1.Namespace{}
	require.NoError(h.t, c.client.Get(h.t.Context(), client.ObjectKey{Name: metav1.NamespaceSystem}, system))
	c.identity = string(system.UID)
	if name != hubName {
		c.user, c.remote = remotes.User, remotes.Declare(h.t, planes[hubName], planes[name], name)
	}
	h.audit(c)
	return c
}

// audit has newRequests return what is asked from now on.
func (h *history) audit(c *cluster) {
	h.t.Helper()
	var err error
	c.audited, err = c.log.AuditMark()
	require.NoError(h.t, err)
}

func (h *history) startOperator() {
	h.t.Helper()
	var err error
	h.operator, err = startOperator()
	require.NoError(h.t, err)
}

// end deletes the rules while all clusters can be reached, also if the history has failed.
func (h *history) end() {
	h.heal()
	for name := range h.world.rules {
		_ = h.clusters[hubName].client.Delete(context.Background(), h.ruleObject(name, h.world.rules[name]))
	}
}

func (h *history) namespace(role string) string { return h.id + "-" + role }

// pick chooses one of several.
func pick[T any](h *history, from ...T) T { return from[h.rng.IntN(len(from))] }

// chance is true in so many of a hundred cases.
func (h *history) chance(percent int) bool { return h.rng.IntN(100) < percent }

// change has the world be another one from now on. What makes it so has to come afterwards.
func (h *history) change(how func(*world), format string, args ...any) {
	next := h.world.clone()
	how(&next)
	h.world = next
	h.versions = append(h.versions, version{time.Now(), next})
	h.did(format, args...)
}

func (h *history) did(format string, args ...any) {
	h.told = append(h.told, fmt.Sprintf("%s %3d %s", time.Now().Format("05.000"), len(h.told)+1, fmt.Sprintf(format, args...)))
}

func (h *history) story() string {
	return fmt.Sprintf("history of -seed=%d -steps=%d:\n%s", h.seed, *chosen.Steps, strings.Join(h.told, "\n"))
}

// need fails the history if there is an error.
func (h *history) need(err error) {
	h.t.Helper()
	if err != nil {
		require.NoError(h.t, err, h.story())
	}
}

func (h *history) patch(in string, object client.Object, patch string) {
	h.t.Helper()
	h.need(h.clusters[in].client.Patch(h.t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch))))
}
