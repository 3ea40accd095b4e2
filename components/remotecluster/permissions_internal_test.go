package remotecluster

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/semaphore"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

func on(resource, verb string) authorizationv1.ResourceAttributes {
	return authorizationv1.ResourceAttributes{Resource: resource, Verb: verb}
}

// authorizer answers what credentials permit.
type authorizer struct {
	mu     sync.Mutex
	denied map[authorizationv1.ResourceAttributes]bool
	err    error
	asked  []string
}

func (a *authorizer) ask(_ context.Context, permission authorizationv1.ResourceAttributes) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, permission.Verb+" "+permission.Resource)
	return !a.denied[permission], a.err
}

func (a *authorizer) set(err error, denied ...authorizationv1.ResourceAttributes) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err, a.denied = err, map[authorizationv1.ResourceAttributes]bool{}
	for _, each := range denied {
		a.denied[each] = true
	}
}

// askedSince returns what was asked since it was last called.
func (a *authorizer) askedSince() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.asked
	a.asked = nil
	return asked
}

func TestWhenPermissionsAreAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		now, authorizer := clock.RealClock{}, &authorizer{}
		gate := fleet.NewGate(now, semaphore.NewWeighted(1))
		p := newPermissions(authorizer.ask, gate, now, func() {})
		go gate.Run(ctx, func(context.Context) error { return nil })
		go p.run(ctx)
		expect := func(after time.Duration, verdict verdict, asked ...string) {
			t.Helper()
			<-time.After(after)
			synctest.Wait()
			assert.Equal(t, verdict, p.known().verdict)
			assert.Equal(t, asked, authorizer.askedSince())
		}
		get, list, other := on("secrets", "get"), on("secrets", "list"), on("widgets", "get")
		p.need(nil)
		expect(time.Hour, allPermitted)
		p.need([]authorizationv1.ResourceAttributes{get, list})
		expect(time.Hour, allPermitted, "get secrets", "list secrets")
		p.need([]authorizationv1.ResourceAttributes{get, list})
		p.need([]authorizationv1.ResourceAttributes{list})
		expect(time.Hour, allPermitted)
		authorizer.set(nil, other, list)
		p.need([]authorizationv1.ResourceAttributes{get, list, other})
		expect(0, someMissing, "get widgets")
		assert.Equal(t, []authorizationv1.ResourceAttributes{other}, p.known().missing)
		expect(missingTime, someMissing, "get widgets")
		p.renew()
		expect(0, someMissing, "get secrets", "list secrets")
		assert.Equal(t, []authorizationv1.ResourceAttributes{list}, p.known().missing, "the first")
		authorizer.set(nil)
		expect(missingTime, allPermitted, "list secrets", "get widgets")
		authorizer.set(errors.New("cut"))
		gate.Close(errors.New("cut"))
		expect(0, allPermitted, "get secrets")
		authorizer.set(apierrors.NewForbidden(schema.GroupResource{}, "", nil))
		expect(reviewRetry, notReviewable, "get secrets")
		cancel()
		synctest.Wait()
	})
}

func TestPermitted(t *testing.T) {
	permitted := said(v1alpha1.ConditionPermitted, metav1.ConditionTrue, v1alpha1.ReasonPermitted)
	impersonate := authorizationv1.ResourceAttributes{Verb: "impersonate", Resource: "users", Name: "hub"}
	patch := authorizationv1.ResourceAttributes{Verb: "patch", Group: "example.com", Resource: "widgets", Namespace: "shop"}
	for name, test := range map[string]struct {
		review         review
		before         []metav1.Condition
		reason, ready  string
		isInTheMessage string
	}{
		"permitted":   {review{verdict: allPermitted}, nil, "Permitted", "Connected", "permit what the rules need"},
		"not asked":   {review{}, nil, "Connecting", "Connecting", "not been asked"},
		"started":     {review{}, []metav1.Condition{permitted}, "Permitted", "Connected", "before"},
		"may not ask": {review{verdict: notReviewable}, nil, "PermissionsUnknown", "Connected", "may not ask"},
		"one": {
			review{verdict: someMissing, missing: []authorizationv1.ResourceAttributes{patch}}, []metav1.Condition{permitted}, "PermissionsMissing", "PermissionsMissing",
			"to patch widgets.example.com in the namespace shop, which rules need; apply there what kubectl projection rights eu-1 prints",
		},
		"three": {
			review{verdict: someMissing, missing: []authorizationv1.ResourceAttributes{on("secrets", "get"), on("secrets", "list"), on("secrets", "watch")}}, nil,
			"PermissionsMissing", "PermissionsMissing", "to get, list and watch secrets in the whole cluster,",
		},
		"to impersonate": {
			review{verdict: someMissing, missing: []authorizationv1.ResourceAttributes{impersonate}}, nil,
			"PermissionsMissing", "PermissionsMissing", "to impersonate users hub in the whole cluster,",
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := connection(1, nil)
			found.review = test.review
			remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}, Status: v1alpha1.RemoteClusterStatus{Conditions: test.before}}
			status, _ := facts{found: found, now: now}.status(remote)
			condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionPermitted)
			assert.Equal(t, test.reason, condition.Reason)
			assert.Contains(t, condition.Message, test.isInTheMessage)
			assert.Equal(t, test.ready, meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady).Reason)
		})
	}
}
