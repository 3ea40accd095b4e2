package clusterhistories_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

const (
	// timeout is how long it may take until everything is as it has to be.
	timeout  = time.Minute
	interval = 50 * time.Millisecond
	// calm is how long clusters at rest are watched for requests.
	calm = 2 * time.Second
)

// quiet heals everything, waits until everything is as the rules ask, and checks what has happened meanwhile.
func (h *history) quiet() {
	h.heal()
	h.settle()
	h.closed = nil
	h.did("quiet: %d copies", len(h.world.wanted()))
}

// settle waits until everything is as the rules ask, but for what has to do with clusters that cannot be used, and checks what has happened meanwhile.
func (h *history) settle() {
	require.EventuallyWithT(h.t, func(c *assert.CollectT) {
		assert.Empty(c, strings.Join(h.problems(), "\n"), h.story())
	}, timeout, interval)
	if wrong := h.unjustified(); len(wrong) > 0 {
		require.Fail(h.t, "the operator has written what nothing asks for", "%s\n\n%s", strings.Join(wrong, "\n"), h.story())
	}
	h.floors = append(h.floors, floor{len(h.versions) - 1, time.Now()})
	h.did("settled: %d copies", len(h.world.wanted()))
}

// silent expects that there are no more requests, in the end, while nothing happens, but for those that show that the operator is there.
func (h *history) silent() {
	var asked []string
	h.did("silent")
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); {
		<-time.After(calm)
		if asked = h.asked(); len(asked) == 0 {
			return
		}
	}
	require.Fail(h.t, "the operator has something to do all the time", "%v\n%s", asked, h.story())
}

// problems returns what is not as the rules ask.
func (h *history) problems() (problems []string) {
	copies, owners := map[place]*corev1.ConfigMap{}, map[place]string{}
	for _, in := range h.clusters {
		list := &corev1.ConfigMapList{}
		h.need(in.client.List(h.t.Context(), list))
		for i := range list.Items {
			role, isOurs := strings.CutPrefix(list.Items[i].Namespace, h.id+"-")
			if at := (place{in.name, role, list.Items[i].Name}); isOurs {
				copies[at], owners[at] = &list.Items[i], h.ownerOf(&list.Items[i])
			}
		}
	}
	problems = append(h.changed(copies), h.misplaced(copies, owners)...)
	for name, r := range h.world.rules {
		if h.world.isReported(r) {
			problems = append(problems, h.misreported(name, r, owners)...)
		}
	}
	slices.Sort(problems)
	return problems
}

// ownerOf returns the role of the rule that has written the copy.
func (h *history) ownerOf(object client.Object) string {
	said := object.GetAnnotations()
	remote := strings.TrimPrefix(said[v1.AnnotationOwnedByRemote], h.clusters[hubName].identity+"/ClusterProjection/")
	tenant := strings.TrimPrefix(said[v1.AnnotationOwnedByProjection], object.GetNamespace()+"/")
	return strings.TrimPrefix(remote+tenant+said[v1.AnnotationOwnedByClusterProjection], h.id+"-")
}

// changed returns which objects of others are not as they left them.
func (h *history) changed(found map[place]*corev1.ConfigMap) (problems []string) {
	for at, left := range h.theirs {
		if now := found[at]; now == nil {
			problems = append(problems, fmt.Sprintf("%v is not there any more, and is not ours", at))
		} else if (mark{now.UID, now.ResourceVersion}) != left {
			problems = append(problems, fmt.Sprintf("%v has changed, and is not ours: %+v", at, now))
		}
	}
	return problems
}

// misplaced returns which copies are missing, wrong, or not wanted.
func (h *history) misplaced(copies map[place]*corev1.ConfigMap, owners map[place]string) (problems []string) {
	wanted := h.world.wanted()
	for at, claims := range wanted {
		if copies[at] == nil && !h.world.foreign[at] && h.world.isSettled(at) {
			problems = append(problems, fmt.Sprintf("%v is missing: %v", at, claims))
		}
	}
	for at, copied := range copies {
		if _, isTheirs := h.theirs[at]; isTheirs || at.role == "home" || !h.world.isSettled(at) {
			continue
		}
		if found := (claim{owners[at], copied.Data["color"]}); !slices.Contains(wanted[at], found) && !h.world.mayStay(at, owners) {
			problems = append(problems, fmt.Sprintf("%v is %+v, and not one of %v", at, found, wanted[at]))
		}
	}
	return problems
}

// misreported returns what the rule says that is not so.
func (h *history) misreported(name string, r rule, owners map[place]string) (problems []string) {
	object := h.ruleObject(name, r)
	h.need(h.clusters[hubName].client.Get(h.t.Context(), client.ObjectKeyFromObject(object), object))
	failing := h.world.failing(name, owners)
	isReady := len(failing) == 0 && !h.world.isRefused(r)
	var conditions []metav1.Condition
	switch object := object.(type) {
	case *v1.Projection:
		conditions = object.Status.Conditions
	case *v1.ClusterProjection:
		conditions = object.Status.Conditions
		var said []string
		for _, failure := range object.Status.ClusterFailures {
			said = append(said, failure.Cluster)
		}
		slices.Sort(said)
		if said = slices.Compact(said); r.isPushed() && !slices.Equal(said, failing) {
			problems = append(problems, fmt.Sprintf("the rule %s says that it fails in %v, not in %v: %+v", name, said, failing, object.Status))
		}
	}
	ready := meta.FindStatusCondition(conditions, v1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != object.GetGeneration() || (ready.Status == metav1.ConditionTrue) != isReady {
		problems = append(problems, fmt.Sprintf("the rule %s fails in %v, and says %+v", name, failing, ready))
	}
	return problems
}
