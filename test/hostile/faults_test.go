package hostile_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/faults"
)

// faultyWorld is a secretWorld whose manager reaches the API server through a proxy. A rule of each kind projects the Secret; in one of
// the namespaces there is a Secret of somebody else, with the canary in its metadata.
type faultyWorld struct {
	*secretWorld
	proxy    *faults.Proxy
	taken    string // the namespace with the foreign object
	foreign  *unstructured.Unstructured
	source   *unstructured.Unstructured
	edits    int
	statuses *diary
}

func newFaultyWorld(t *testing.T) *faultyWorld {
	t.Helper()
	m := &faultyWorld{secretWorld: newSecretWorld(t)}
	var err error
	m.proxy, err = faults.NewProxy(cluster.Config, 1)
	require.NoError(t, err)
	t.Cleanup(m.proxy.Close)
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "proxy")
	require.NoError(t, env.WriteKubeConfig(kubeconfig, m.proxy.Config()))
	m.searched, err = startManager(dir, kubeconfig, "--watch-label-selector="+servedBy+"="+m.Home)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.searched.Stop()) })
	m.statuses = m.follow()
	m.source = m.secret("")
	m.taken = m.Namespace("more", map[string]string{"faulty": m.Home})
	m.Merge(m.namespaceOf(m.Away), `{"metadata":{"labels":{"faulty":"$HOME"}}}`)
	m.foreign = m.Create(`{apiVersion: v1, kind: Secret, metadata: {name: wide, namespace: ` + m.taken + `,
		annotations: {kubectl.kubernetes.io/last-applied-configuration: ` + m.canary + `}}}`)
	return m
}

func (m *faultyWorld) namespaceOf(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// rules creates a rule of each kind.
func (m *faultyWorld) rules() (*v1.Projection, *v1.ClusterProjection) {
	m.T.Helper()
	mine := map[string]string{servedBy: m.Home}
	narrow := m.project(m.source, func(rule *v1.Projection) { rule.Labels = mine })
	wide := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "rule-", Labels: mine},
		Spec: v1.ClusterProjectionSpec{Source: fixture.RefTo(m.source), Destination: v1.ClusterProjectionDestination{
			Name: "wide", NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"faulty": m.Home}},
		}},
	}
	require.NoError(m.T, m.Client.Create(m.T.Context(), wide))
	m.T.Cleanup(func() {
		m.Delete(wide)
		m.Gone(wide)
	})
	return narrow, wide
}

// edit changes the Secret, and what is in the way of its copy.
func (m *faultyWorld) edit() {
	m.T.Helper()
	m.edits++
	m.Merge(m.source, `{"stringData":{"edit":"`+m.canary+strconv.Itoa(m.edits)+`"}}`)
	m.Merge(m.foreign, `{"metadata":{"annotations":{"edit":"`+strconv.Itoa(m.edits)+`"}}}`)
}

// retried bounds how long a test waits for a watch that has failed a few times: the client library pauses for up to a
// minute between two tries.
const retried = 3 * time.Minute

// inStep waits until both copies are as the Secret is.
func (m *faultyWorld) inStep() {
	m.T.Helper()
	for _, name := range []string{"token", "wide"} {
		require.Eventually(m.T, func() bool {
			copied := m.read(m.source, m.Away, name)
			return copied != nil && entry(copied, "edit") == entry(m.source, "edit")
		}, retried, env.Interval, "%s does not follow after\n%v", name, m.proxy.Spoiled())
	}
}

// suffer lets requests about Secrets go wrong until some have, while the function gives cause for them.
func (m *faultyWorld) suffer(because func(), rules ...faults.Rule) {
	m.T.Helper()
	fault := rules[len(rules)-1].Fault
	before := m.proxy.Spoiled()[fault]
	for i := range rules {
		rules[i].Resources, rules[i].Delay = []string{"secrets"}, 50*time.Millisecond
	}
	m.proxy.Set(rules...)
	because()
	require.Eventually(m.T, func() bool { return m.proxy.Spoiled()[fault] > before }, retried, env.Interval, "nothing suffers from %q", rules)
	m.proxy.Clear()
}

// diary holds every status that rules ever had. Faults pass, and what they made a rule tell is overwritten.
type diary struct {
	mu      sync.Mutex
	written strings.Builder
}

func (d *diary) read() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.written.String()
}

// follow writes down how the rules fare from now on.
func (m *faultyWorld) follow() *diary {
	m.T.Helper()
	watching, err := client.NewWithWatch(cluster.Config, client.Options{Scheme: env.Scheme()})
	require.NoError(m.T, err)
	d := &diary{}
	for _, list := range []client.ObjectList{&v1.ProjectionList{}, &v1.ClusterProjectionList{}} {
		events, err := watching.Watch(context.Background(), list)
		require.NoError(m.T, err)
		m.T.Cleanup(events.Stop)
		go func() {
			for event := range events.ResultChan() {
				d.mu.Lock()
				d.written.WriteString(asJSON(m.T, event.Object))
				d.mu.Unlock()
			}
		}()
	}
	return d
}

// TestSecretIsNotQuotedWhateverGoesWrong lets requests about Secrets, and their answers, go wrong in every way.
func TestSecretIsNotQuotedWhateverGoesWrong(t *testing.T) {
	m := newFaultyWorld(t)
	m.proxy.Set(faults.Rule{Verbs: []string{"list"}, Resources: []string{"secrets"}, Fault: faults.Kindless})
	narrow, wide := m.rules()
	const unread = "the answer of the API server could not be read; details withheld: they may quote the Secret"
	assert.Contains(t, m.says(narrow, v1.ReasonSourceFetchFailed), "("+unread+")")
	m.proxy.Set(faults.Rule{Verbs: []string{"get"}, Resources: []string{"secrets"}, Fault: faults.Kindless})
	assert.Contains(t, m.says(wide, v1.ReasonSourceFetchFailed), "("+unread+")")
	m.proxy.Clear()
	m.Ready(narrow)
	m.says(wide, v1.ReasonDestinationConflict)

	everything := append([]faults.Fault{
		faults.Slow, faults.Hang, faults.ResetBefore, faults.ResetAfter, faults.CutBody, faults.Malformed, faults.Empty,
		faults.Kindless, faults.NotServed,
	}, faults.Statuses...)
	elsewhere := func(request faults.Request) bool { return request.Namespace != m.Home }
	for _, fault := range everything {
		for _, verb := range []string{"get", "patch"} {
			m.suffer(m.edit, faults.Rule{Verbs: []string{verb}, Fault: fault})
			m.inStep()
		}
		if fault != faults.Conflict { // what is in the way is looked at after a conflict
			m.suffer(m.edit,
				faults.Rule{Verbs: []string{"patch"}, Fault: faults.Conflict}, faults.Rule{Verbs: []string{"get"}, Where: elsewhere, Fault: fault})
			m.inStep()
		}
		m.suffer(func() { m.consent(false) }, faults.Rule{Verbs: []string{"delete"}, Fault: fault})
		m.consent(true)
		m.inStep()
	}
	watches := faults.Rule{Verbs: []string{"watch"}, Resources: []string{"secrets"}}
	for _, fault := range []faults.Fault{faults.Torn, faults.Outdated, faults.Kindless} {
		watches.Fault = faults.End
		m.suffer(func() {
			m.proxy.Disturb(watches)
			m.edit()
		}, faults.Rule{Verbs: []string{"watch"}, Fault: fault})
		m.edit()
		m.inStep()
	}
	m.requireSilence()
	for _, form := range m.forms() {
		require.NotContains(t, m.statuses.read(), form, "in what a rule told for a while")
	}
	require.Contains(t, m.statuses.read(), unread)
	require.Contains(t, m.searched.Log(), unread)
}

// consent lets the owner of the Secret allow its copies, or not.
func (m *faultyWorld) consent(given bool) {
	m.T.Helper()
	m.Merge(m.source, `{"metadata":{"annotations":{"projection.sh/projectable":"`+strconv.FormatBool(given)+`"}}}`)
}
