package scale_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

const (
	// operatorUser is who the operator is in the audit log.
	operatorUser = "operator"
	home         = "home"
	timeout      = 3 * time.Minute
)

// world is a cluster, and the operator that serves it.
type world struct {
	*fixture.World

	operator *manager.InProcess
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: fixture.NewEmpty(t, cluster.Config)}
	w.start()
	require.NoError(t, client.IgnoreAlreadyExists(w.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: home}})))
	return w
}

// start starts an operator, which runs until the test ends.
func (w *world) start() {
	w.T.Helper()
	identity, err := cluster.ConfigFor(operatorUser, "system:masters")
	require.NoError(w.T, err)
	w.operator = manager.Start(identity, func(o *app.Options) {
		o.LeaderElect, o.LeaderElectionNamespace = true, metav1.NamespaceDefault
	})
	w.T.Cleanup(w.operator.Kill)
}

func (w *world) create(object client.Object) {
	w.T.Helper()
	require.NoError(w.T, w.Client.Create(w.T.Context(), object))
}

// members creates namespaces that a rule selects by the label group.
func (w *world) members(group string, count int) []string {
	w.T.Helper()
	names := make([]string, count)
	w.each(names, func(ctx context.Context, i int) error {
		names[i] = fmt.Sprintf("%s-%05d", group, i)
		return w.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names[i], Labels: map[string]string{"group": group}}})
	})
	return names
}

// each does something for each of the namespaces, several at a time.
func (w *world) each(namespaces []string, do func(ctx context.Context, i int) error) {
	w.T.Helper()
	group, ctx := errgroup.WithContext(w.T.Context())
	group.SetLimit(32)
	for i := range namespaces {
		group.Go(func() error { return do(ctx, i) })
	}
	require.NoError(w.T, group.Wait())
}

// source creates a ConfigMap that consents.
func (w *world) source(name string) *corev1.ConfigMap {
	w.T.Helper()
	source := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: name, Annotations: map[string]string{v1.AnnotationProjectable: "true"}},
		Data:       map[string]string{"color": "red"},
	}
	w.create(source)
	return source
}

func (w *world) paintBlue(source *corev1.ConfigMap) {
	w.T.Helper()
	w.Merge(source, `{"data":{"color":"blue"}}`)
}

// fanOut creates a rule that copies the source to the destination.
func (w *world) fanOut(source *corev1.ConfigMap, destination v1.ClusterProjectionDestination) *v1.ClusterProjection {
	w.T.Helper()
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: source.Name},
		Spec: v1.ClusterProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: source.Namespace, Name: source.Name},
			Destination: destination,
		},
	}
	w.create(rule)
	return rule
}

// label sets the label by which a namespace is selected.
func (w *world) label(namespace, value string) {
	w.T.Helper()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	w.Merge(object, fmt.Sprintf(`{"metadata":{"labels":{"group":%s}}}`, value))
}

// turnsBlue waits, by watch, until the copy has the color of an edited source.
func (w *world) turnsBlue(namespace, name string) {
	w.T.Helper()
	copies := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().ConfigMaps(namespace)
	watch, err := copies.Watch(w.T.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(w.T, err)
	defer watch.Stop()
	late := time.After(timeout)
	for {
		select {
		case event := <-watch.ResultChan():
			copied, ok := event.Object.(*corev1.ConfigMap)
			require.True(w.T, ok, "%v", event.Object)
			if copied.Data["color"] == "blue" {
				return
			}
		case <-late:
			require.FailNow(w.T, "the copy does not arrive", "%s/%s is to be blue", namespace, name)
		}
	}
}

// counts waits until the rule says that so many copies are in step, and so many fail.
func (w *world) counts(rule *v1.ClusterProjection, written, failed int32) {
	w.T.Helper()
	err := wait.PollUntilContextTimeout(w.T.Context(), env.Interval, timeout, true, func(ctx context.Context) (bool, error) {
		err := w.Client.Get(ctx, client.ObjectKeyFromObject(rule), rule)
		return ptr.Equal(rule.Status.NamespacesWritten, &written) && ptr.Equal(rule.Status.NamespacesFailed, &failed), err
	})
	require.NoError(w.T, err, "%v", rule.Status.Conditions)
}

// requests returns what the operator asked for while the function ran, and until it asked for nothing more. Its lease does
// not count.
func (w *world) requests(do func()) []env.Request {
	w.T.Helper()
	mark := fixture.Mark(w.T, cluster)
	do()
	for before := -1; ; {
		requests := w.since(mark)
		if len(requests) == before {
			return requests
		}
		before = len(requests)
		<-time.After(time.Second)
	}
}

func (w *world) since(mark env.AuditMark) []env.Request {
	w.T.Helper()
	all := fixture.RequestsSince(w.T, cluster, mark, operatorUser)
	var requests []env.Request
	for _, request := range all {
		if request.Resource != "leases" {
			requests = append(requests, request)
		}
	}
	return requests
}

func count(requests []env.Request, verb, resource string) int {
	n := 0
	for _, request := range requests {
		if request.Verb == verb && request.Resource == resource {
			n++
		}
	}
	return n
}
