package property_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
	"projection.sh/operator/test/oracle"
)

const (
	worldLabel = "world"
	groupLabel = "group"
)

// What histories choose from. Small numbers make things meet.
var (
	roles      = []string{"n1", "n2", "n3", "n4", "n5"}
	homes      = []string{"n1", "n2"} // where sources are
	sources    = []string{"a", "b"}
	places     = []string{"a", "b", "x"} // names of copies and foreign objects
	groups     = []string{"", "red", "blue"}
	colors     = []string{"red", "green", "blue", "white", "black"}
	configMap  = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	secret     = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	widget     = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	kinds      = []schema.GroupVersionKind{configMap, configMap, secret, widget}
)

// driver makes the history of one part of the cluster, with an operator of its own. What it does depends on its seed
// alone; what comes of it may depend on who is faster.
type driver struct {
	t       *testing.T
	plane   *env.Environment
	client  client.Client
	seed    uint64
	rng     *rand.Rand
	id      string
	user    string
	config  *rest.Config
	history []string

	options    func(*app.Options)
	proxy      *faults.Proxy      // between the operator and the API server; nil: nothing is
	stormy     bool               // the proxy spoils requests
	switchover *switchover        // nil: the operator is always at the API server of the plane
	forbidden  bool               // the operator lacks rights
	named      bool               // every rule names a service account
	permissive bool               // sources need no consent
	stripped   bool               // the service accounts lack permissions
	operator   *manager.InProcess // nil: none runs
	replicated bool               // there is to be a second replica
	standby    *manager.InProcess // the second replica; nil: none runs
	foreign    oracle.Foreign
	ending     map[string]bool      // namespaces, by role, that are being deleted
	leaving    oracle.Foreign       // what was foreign in those: the API server deletes it some time later
	owners     map[types.UID]string // of copies, at the last quiet point
	theirs     map[types.UID][]mark // what third parties added to copies
	retaining  map[string]bool      // field managers of rules that leave ordinary objects
	adopting   map[string]bool      // field managers of rules that adopt foreign objects
	adopted    oracle.Adopted       // copies that were foreign
	witness    *witness             // nil: nobody watches
	plugin     string               // the program that tells what becomes of copies; empty: nobody asks it
	// pluginCache is where the plugin notes what the API server serves.
	pluginCache string
	foreseen    *foreseen // what it has said of the change of a rule; nil: nobody has asked it
}

func newDriver(t *testing.T, seed uint64) *driver {
	t.Helper()
	return newDriverOn(t, cluster, seed)
}

func newDriverOn(t *testing.T, plane *env.Environment, seed uint64) *driver {
	t.Helper()
	d := &driver{
		t: t, plane: plane, client: fixture.Client(t, plane.Config), seed: seed, rng: rand.New(rand.NewPCG(seed, seed)), id: fmt.Sprintf("s%x", seed), foreign: oracle.Foreign{},
		options: func(*app.Options) {},
		ending:  map[string]bool{}, leaving: oracle.Foreign{}, owners: map[types.UID]string{}, theirs: map[types.UID][]mark{}, retaining: map[string]bool{},
		adopting: map[string]bool{}, adopted: oracle.Adopted{},
	}
	d.user = "operator-" + d.id
	var err error
	d.config, err = plane.ConfigFor(d.user)
	require.NoError(t, err)
	d.mayEverything()
	d.permitAccounts()
	t.Cleanup(d.end)
	return d
}

func (d *driver) name(role string) string { return d.id + "-" + role }

func (d *driver) labels() map[string]string { return map[string]string{worldLabel: d.id} }

// pick chooses one of several.
func pick[T any](d *driver, from []T) T { return from[d.rng.IntN(len(from))] }

// chance is true in so many of a hundred cases.
func (d *driver) chance(percent int) bool { return d.rng.IntN(100) < percent }

// did writes the last step down, and what came of it if that is not what was meant.
func (d *driver) did(err error, format string, args ...any) {
	d.t.Helper()
	line := fmt.Sprintf("%3d %s", len(d.history)+1, fmt.Sprintf(format, args...))
	switch {
	case isFixed(err):
		line += ": it is immutable"
	case apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), apierrors.IsConflict(err), apierrors.IsForbidden(err):
		line += ": " + string(apierrors.ReasonForError(err))
	default:
		require.NoError(d.t, err, line)
	}
	d.history = append(d.history, line)
}

func (d *driver) told() string {
	return fmt.Sprintf("history of -seed=%d:\n%s", d.seed, strings.Join(d.history, "\n"))
}

// at returns the object that a place would hold.
func (d *driver) at(kind schema.GroupVersionKind, role, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	object.SetNamespace(d.name(role))
	object.SetName(name)
	return object
}

func (d *driver) isForeign(object *unstructured.Unstructured) bool {
	_, foreign := d.foreign[oracle.PlaceOf(object)]
	return foreign
}

func (d *driver) patch(object client.Object, patch string) error {
	return d.client.Patch(context.Background(), object, client.RawPatch(types.MergePatchType, []byte(patch)))
}

func (d *driver) state() (oracle.State, error) { return d.world().Read(context.Background()) }

// world is the history as the oracle sees it.
func (d *driver) world() oracle.World {
	return oracle.World{
		Reader: d.client, Labels: client.MatchingLabels(d.labels()), Prefix: d.name(""), Kinds: []schema.GroupVersionKind{configMap, secret, widget}, Adopted: d.adopted,
		Permissive: d.permissive,
	}
}
