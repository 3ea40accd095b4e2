package crash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/faults"
)

// reads are what the operator asks the API server for, each with the rule that spoils it.
var reads = map[string]func(*world) faults.Rule{
	"source": func(w *world) faults.Rule {
		return faults.Rule{Verbs: []string{"get"}, Resources: []string{"configmaps"}, Where: in(w.name(home))}
	},
	"blocked place": func(w *world) faults.Rule {
		return faults.Rule{Verbs: []string{"get"}, Resources: []string{"configmaps"}, Where: in(w.name(three))}
	},
	"sources": func(*world) faults.Rule {
		return faults.Rule{Verbs: listAndWatch, Resources: []string{"configmaps"}, Where: func(r faults.Request) bool { return r.Selector == "" }}
	},
	"copies": func(*world) faults.Rule {
		return faults.Rule{Verbs: listAndWatch, Resources: []string{"configmaps"}, Where: func(r faults.Request) bool { return r.Selector != "" }}
	},
	"namespaces": func(*world) faults.Rule {
		return faults.Rule{Verbs: listAndWatch, Resources: []string{"namespaces"}}
	},
	"rules": func(*world) faults.Rule {
		return faults.Rule{Verbs: listAndWatch, Resources: []string{"projections", "clusterprojections"}}
	},
	"definitions": func(*world) faults.Rule {
		return faults.Rule{Verbs: listAndWatch, Resources: []string{"customresourcedefinitions"}}
	},
	"discovery": func(*world) faults.Rule { return faults.Rule{Verbs: []string{faults.Discover}} },
	"core group": func(*world) faults.Rule {
		return faults.Rule{Verbs: []string{faults.Discover}, Where: func(r faults.Request) bool { return r.Path == "/api" }}
	},
	"every read": func(*world) faults.Rule {
		return faults.Rule{Verbs: append([]string{"get", faults.Discover}, listAndWatch...), Where: func(r faults.Request) bool { return r.Resource != "leases" }}
	},
}

var listAndWatch = []string{"list", "watch"}

func in(namespace string) func(faults.Request) bool {
	return func(r faults.Request) bool { return r.Namespace == namespace }
}

var (
	spoilt = slices.Concat(faults.Statuses, []faults.Fault{
		faults.NotServed, faults.ResetBefore, faults.ResetAfter, faults.CutBody, faults.Malformed, faults.Empty, faults.Hang,
	})
	spoiltWatches = []faults.Fault{faults.Silent, faults.End, faults.Torn, faults.Outdated}
)

// TestNothingIsDeletedOnIgnorance spoils each read in some ways, by turns while the operator runs and while it starts; with
// -thorough, in each way and both times.
func TestNothingIsDeletedOnIgnorance(t *testing.T) {
	t.Parallel()
	for name, read := range reads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBlind(t, "blind-"+strings.ReplaceAll(name, " ", "-"))
			rule := read(b.world)
			faults := slices.Clone(spoilt)
			if slices.Contains(rule.Verbs, "watch") {
				faults = slices.Concat(spoilt, spoiltWatches)
			}
			choose := chooser(t)
			if !*thorough {
				choose.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
				faults = faults[:6]
			}
			for i, fault := range faults {
				rule.Fault = fault
				running := i%2 == 0
				t.Run(string(fault), func(t *testing.T) { b.with(t).suffers(rule, running || *thorough, !running || *thorough) })
			}
		})
	}
}

// blind is a world whose operator does not get to know everything. A foreign object stands where one of the copies belongs.
type blind struct {
	*world
	proxy    *faults.Proxy
	user     string
	operator *manager.InProcess
	edits    int
}

func newBlind(t *testing.T, lane string) *blind {
	t.Helper()
	b := &blind{world: newWorld(t, lane, v1.KindClusterProjection), user: lane}
	config, err := cluster.ConfigFor(b.user, "system:masters")
	require.NoError(t, err)
	b.proxy, err = faults.NewProxy(config, 1)
	require.NoError(t, err)
	t.Cleanup(b.proxy.Close)
	t.Cleanup(func() { b.operator.Kill() })
	b.put("ConfigMap", three, `data: {mine: "1"}`)
	b.group(three, true)
	sourceAndRule(b.world)
	b.start()
	return b
}

func (b *blind) start() {
	b.operator = manager.Start(b.proxy.Config(), func(o *app.Options) { o.WatchLabelSelector = laneLabel + "=" + b.lane })
}

// with returns the same for a test within the test.
func (b *blind) with(t *testing.T) *blind {
	t.Helper()
	b.T = t
	return b
}

// suffers spoils the read while the operator runs, while another one starts, or both.
func (b *blind) suffers(rule faults.Rule, running, starting bool) {
	b.T.Helper()
	b.operator.Kill() // it may be waiting before it looks again, longer after each fault
	b.start()
	b.projectTo("second", fmt.Sprintf(`{name: second, namespaces: [%s]}`, b.name(one)))
	b.settlesAt(leisure)
	mark := fixture.Mark(b.T, cluster)
	if running {
		b.suffersRunning(rule, mark)
		b.nothingIsLost(mark, "second")
	}
	if starting {
		b.operator.Kill()
		struck := b.strikes(rule.Fault, never)
		b.proxy.Set(rule)
		b.edit()
		b.Delete(b.rule("second"))
		b.start()
		struck()
		b.nothingIsLost(mark, "second")
	}
	b.proxy.Clear()
	b.edit()
	b.Delete(b.rule("second"))
	b.revive()
	b.settlesAt(leisure)
	b.nothingIsLost(mark, "second")
}

// suffersRunning spoils the read, and gives the operator reason to look: by an edit, by a rule whose kind is not known, and by a rule
// that is deleted.
func (b *blind) suffersRunning(rule faults.Rule, mark env.AuditMark) {
	b.T.Helper()
	struck := b.strikes(rule.Fault, never)
	b.proxy.Set(rule)
	broken := rule
	if slices.Contains(spoilt, rule.Fault) {
		broken.Fault = faults.End // so that the watch has to begin anew
	}
	b.proxy.Disturb(broken)
	b.proxy.Disturb(faults.Rule{Verbs: []string{"watch"}, Resources: []string{"customresourcedefinitions"}, Fault: faults.Outdated})
	b.edit()
	b.misspell()
	struck()
	b.Delete(b.rule("misspelt"))
	b.nothingIsLost(mark, "")
	struck = b.strikes(rule.Fault, func() bool { return b.gone(b.rule("second")) || b.ended() })
	b.Delete(b.rule("second"))
	if rule.Fault != faults.Hang && rule.Fault != faults.Silent { // it may not even hear of the deletion
		struck()
	}
}

// misspell creates a rule whose kind does not exist, so that the operator asks what the API server serves. The rule has no finalizer.
func (b *blind) misspell() {
	b.T.Helper()
	rule := b.rule("misspelt")
	rule.SetLabels(map[string]string{worldLabel: b.id, laneLabel: b.lane})
	rule.Object["spec"] = map[string]any{
		"source":      map[string]any{"kind": "ConfigMop", "namespace": b.name(home), "name": "settings"},
		"destination": map[string]any{"name": "misspelt", "namespaces": []any{b.name(one)}},
	}
	require.NoError(b.T, b.Client.Create(b.T.Context(), rule))
}

func never() bool { return false }

// leisure is how often the world is looked at. Many tests look at the same time.
const leisure = 200 * time.Millisecond

// edit changes the source and the foreign object, which claims to be somebody else's, so that it has to be looked at again.
func (b *blind) edit() {
	b.T.Helper()
	b.edits++
	b.editSource(fmt.Sprintf(`{"data":{"color":"edit-%d"}}`, b.edits))
	foreign := b.object("ConfigMap", three, "settings")
	b.patch(foreign, fmt.Sprintf(`{"metadata":{"annotations":{%q:"elsewhere/edit-%d"}}}`, v1.AnnotationOwnedByProjection, b.edits))
	b.foreign.Note(foreign)
}

// strikes returns a function that waits until the fault has struck, from now on, or until the operator is done.
func (b *blind) strikes(fault faults.Fault, done func() bool) func() {
	before := b.proxy.Spoiled()[fault]
	return func() {
		b.T.Helper()
		require.Eventually(b.T, func() bool {
			return b.proxy.Spoiled()[fault] > before || done()
		}, timeout, interval, "nothing of the kind was asked for")
	}
}

// ended reports whether the operator has ended by itself.
func (b *blind) ended() bool {
	select {
	case <-b.operator.Ended():
		return true
	default:
		return false
	}
}

// revive starts an operator that has ended by itself, as a deployment does.
func (b *blind) revive() {
	if b.ended() {
		b.start()
	}
}

// nothingIsLost holds the operator's deletions and the rules against what it can have known: copies of that name may be deleted.
func (b *blind) nothingIsLost(mark env.AuditMark, unwanted string) {
	b.T.Helper()
	requests := fixture.RequestsSince(b.T, cluster, mark, b.user)
	for _, request := range requests {
		kept := request.Resource != "configmaps" || request.Name != unwanted
		assert.False(b.T, kept && strings.HasPrefix(request.Verb, "delete"), "%s", request)
	}
	assert.Len(b.T, b.get(b.rule("rule")).GetFinalizers(), 1)
	if b.gone(b.rule("second")) {
		assert.True(b.T, b.gone(b.object("ConfigMap", one, "second")), "the rule was let go, and its copy is left")
	}
}

func (b *blind) gone(object *unstructured.Unstructured) bool {
	b.T.Helper()
	err := b.Client.Get(b.T.Context(), client.ObjectKeyFromObject(object), object)
	require.NoError(b.T, client.IgnoreNotFound(err))
	return apierrors.IsNotFound(err)
}
