package crash_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/oracle"
)

const (
	// timeout is generous: the end of a namespace alone takes several seconds, and many tests share the machine.
	timeout  = 3 * time.Minute
	interval = 100 * time.Millisecond // many look at the same time, and a look is five requests

	worldLabel = "world"
	laneLabel  = "lane"
	groupLabel = "group"
)

// Namespaces of a world. Selectors select one and two.
const (
	home  = "home"
	one   = "one"
	two   = "two"
	three = "three"
)

// world is a part of the cluster that nobody else touches, with rules of one kind.
type world struct {
	*fixture.World

	id      string
	lane    string // worlds of one lane can be served together
	tier    string // the kind of its rules
	foreign oracle.Foreign
	adopted oracle.Adopted // nil: no rule adopts
}

var worlds atomic.Int64

func newWorld(t *testing.T, lane, tier string) *world {
	t.Helper()
	w := &world{World: fixture.NewEmpty(t, cluster.Config), id: fmt.Sprintf("w%d", worlds.Add(1)), lane: lane, tier: tier, foreign: oracle.Foreign{}}
	w.namespace(home, "")
	w.namespace(one, w.id)
	if tier == v1.KindClusterProjection {
		w.namespace(two, w.id)
		w.namespace(three, "")
	}
	return w
}

func (w *world) name(role string) string { return w.id + "-" + role }

func (w *world) namespace(role, group string) {
	w.T.Helper()
	labels := map[string]string{worldLabel: w.id, groupLabel: group}
	require.NoError(w.T, w.Client.Create(w.T.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.name(role), Labels: labels}}))
}

// group lets selectors select the namespace, or not.
func (w *world) group(role string, selected bool) {
	group := ""
	if selected {
		group = w.id
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.name(role)}}
	w.patch(namespace, fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, groupLabel, group))
}

func (w *world) object(kind, role, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("v1")
	object.SetKind(kind)
	object.SetNamespace(w.name(role))
	object.SetName(name)
	return object
}

// put creates an object that is no copy. Content is YAML.
func (w *world) put(kind, role, content string) {
	w.T.Helper()
	object := w.object(kind, role, "settings")
	given := map[string]any{}
	require.NoError(w.T, yaml.Unmarshal([]byte(content), &given))
	maps.Copy(object.Object, given)
	object.SetLabels(map[string]string{worldLabel: w.id})
	require.NoError(w.T, w.Client.Create(w.T.Context(), object))
	w.foreign.Note(object)
}

// source puts a source that consents.
func (w *world) source() {
	w.T.Helper()
	w.put("ConfigMap", home, `data: {color: red, size: "1"}`)
	w.editSource(consent)
}

// secret puts a source of another kind, with the same name.
func (w *world) secret() {
	w.T.Helper()
	w.put("Secret", home, `data: {color: cmVk}`)
	w.editSecret(consent)
}

// editSecret patches the source of that kind, if it is there.
func (w *world) editSecret(patch string) {
	w.T.Helper()
	secret := w.object("Secret", home, "settings")
	if w.patch(secret, patch) {
		w.foreign.Note(secret)
	}
}

// Patches of a source.
const (
	consent = `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`
	veto    = `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`
	public  = `{"metadata":{"annotations":{"projection.sh/public-keys":"color"}}}`
)

// editSource patches the source, if it is there.
func (w *world) editSource(patch string) {
	w.T.Helper()
	object := w.object("ConfigMap", home, "settings")
	if w.patch(object, patch) {
		w.foreign.Note(object)
	}
}

// remove deletes the source, or the foreign object that stands where a copy belongs.
func (w *world) remove(role string) {
	w.T.Helper()
	object := w.object("ConfigMap", role, "settings")
	w.Delete(object)
	delete(w.foreign, oracle.PlaceOf(object))
}

// patch merges, and tells whether there was something to patch. The data of an immutable object stay as they are: nobody can edit them.
func (w *world) patch(object client.Object, patch string) bool {
	w.T.Helper()
	err := w.Client.Patch(w.T.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch)))
	if apierrors.IsInvalid(err) && strings.Contains(err.Error(), "field is immutable when `immutable` is set") {
		return false
	}
	require.NoError(w.T, client.IgnoreNotFound(err))
	return err == nil
}

// rule returns a rule of the world's kind by its name.
func (w *world) rule(name string) *unstructured.Unstructured {
	rule := &unstructured.Unstructured{}
	rule.SetAPIVersion(v1.GroupVersion.String())
	rule.SetKind(w.tier)
	rule.SetName(w.name(name))
	if w.tier == v1.KindProjection {
		rule.SetNamespace(w.name(one))
	}
	return rule
}

// project creates a rule that copies the source: into namespace one, or wherever the selector selects.
func (w *world) project(name string) {
	w.T.Helper()
	w.projectTo(name, fmt.Sprintf(`{namespaceSelector: {matchLabels: {%s: %s}}}`, groupLabel, w.id))
}

// projectTo creates a rule; the destination is for ClusterProjections.
func (w *world) projectTo(name, destination string) {
	w.T.Helper()
	if w.tier == v1.KindProjection {
		destination = "{}"
	}
	rule := w.rule(name)
	rule.SetLabels(map[string]string{worldLabel: w.id, laneLabel: w.lane})
	manifest := fmt.Sprintf(`
spec:
  source: {kind: ConfigMap, namespace: %s, name: settings}
  destination: %s
`, w.name(home), destination)
	require.NoError(w.T, yaml.Unmarshal([]byte(manifest), &rule.Object))
	require.NoError(w.T, w.Client.Create(w.T.Context(), rule))
}

// author has the rule served in the name of a service account that may read sources and write copies; with an empty name, in that of the operator.
func (w *world) author(account string) {
	w.T.Helper()
	permitAccounts(w.T, w.Client)
	name, patch := "null", `{"spec":{"serviceAccountName":%s}}`
	if account != "" {
		name = `"` + account + `"`
	}
	if w.tier == v1.KindClusterProjection {
		patch = `{"spec":{"serviceAccount":%s}}`
		if account != "" {
			name = fmt.Sprintf(`{"namespace":%q,"name":%q}`, w.name(home), account)
		}
	}
	w.patch(w.rule("rule"), fmt.Sprintf(patch, name))
}

// copies returns what is in the namespace and neither a source nor a foreign object.
func (w *world) copies(role string) []*unstructured.Unstructured {
	w.T.Helper()
	var copies []*unstructured.Unstructured
	state, err := w.state()
	require.NoError(w.T, err)
	for at, object := range state.Objects {
		if _, foreign := w.foreign[at]; !foreign && at.Namespace == w.name(role) {
			copies = append(copies, object)
		}
	}
	return copies
}

func (w *world) state() (oracle.State, error) { return w.seen().Read(context.Background()) }

// seen is the world as the oracle sees it.
func (w *world) seen() oracle.World {
	core := corev1.SchemeGroupVersion
	return oracle.World{
		Reader: w.Client, Labels: client.MatchingLabels{worldLabel: w.id}, Prefix: w.name(""),
		Kinds: []schema.GroupVersionKind{core.WithKind("ConfigMap"), core.WithKind("Secret")}, Adopted: w.adopted,
	}
}

func (w *world) problems() []string {
	state, problems, err := w.seen().Problems(context.Background(), w.foreign)
	if err != nil {
		return []string{err.Error()}
	}
	return append(problems, w.noteAdopted(state)...)
}

// settles waits until the world is as it has to be.
func (w *world) settles() {
	w.T.Helper()
	w.settlesAt(interval)
}

// settlesAt is settles with so much time between two looks.
func (w *world) settlesAt(pace time.Duration) {
	w.T.Helper()
	var last atomic.Pointer[[]string] // a look may still go on when the time is over
	if !assert.Eventually(w.T, func() bool {
		problems := w.problems()
		last.Store(&problems)
		return len(problems) == 0
	}, timeout, pace) {
		require.FailNowf(w.T, "the world "+w.id+" is not as it has to be", "%s", strings.Join(ptr.Deref(last.Load(), nil), "\n"))
	}
}
