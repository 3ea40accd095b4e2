package projector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// asked returns a scope that has asked the owner of the source at version 7, and has got the event.
func asked(t *testing.T, f *fixture, rule *v1.ClusterProjection, event apiwatch.EventType, version string, annotations map[string]string) *scope[*v1.ClusterProjection] {
	t.Helper()
	events := apiwatch.NewRaceFreeFake()
	f.member.Sources = watch.NewSources(watch.NewObjects(t.Context(), metadataWith(events)), func(watch.RuleKey, watch.Trigger, time.Time) {})
	f.planner.Mode, f.planner.Mode = policy.Allowlist, policy.Allowlist
	p := f.scope(rule)
	p.named().confirmed = "7"
	require.NoError(t, f.member.Sources.Watch(t.Context(), p.key, p.kind.GroupVersionResource(), p.named().sourceKey()))
	events.Action(event, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: p.named().sourceKey().Namespace, Name: p.named().sourceKey().Name, ResourceVersion: version, Annotations: annotations,
	}})
	require.Eventually(t, func() bool { return p.named().lastEvent().ResourceVersion == version }, time.Minute, time.Millisecond)
	return p
}

func TestHandOverIsWithdrawn(t *testing.T) {
	consents, vetoed := map[string]string{v1.AnnotationProjectable: "true"}, map[string]string{v1.AnnotationProjectable: "false"}
	tests := map[string]struct {
		event       apiwatch.EventType
		version     string
		annotations map[string]string
		change      func(cached *v1.ClusterProjection)
		namespace   string
		may         bool
	}{
		"nothing has changed":                 {apiwatch.Modified, "8", consents, nil, "left", true},
		"the source was deleted":              {apiwatch.Deleted, "8", consents, nil, "left", true},
		"the owner has opted out":             {apiwatch.Modified, "8", vetoed, nil, "left", false},
		"the owner opts in no more":           {apiwatch.Modified, "8", nil, nil, "left", false},
		"deleted after an opt-out":            {apiwatch.Deleted, "8", vetoed, nil, "left", false},
		"an opt-out that was read already":    {apiwatch.Modified, "6", vetoed, nil, "left", true},
		"the rule has another spec":           {apiwatch.Modified, "8", consents, func(r *v1.ClusterProjection) { r.Generation++ }, "left", false},
		"the rule is being deleted":           {apiwatch.Modified, "8", consents, func(r *v1.ClusterProjection) { r.DeletionTimestamp = &metav1.Time{Time: now} }, "left", false},
		"the namespace is a target once more": {apiwatch.Modified, "8", consents, nil, "target", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			rule.ResourceVersion = "2"
			cached := rule.DeepCopy()
			cached.ResourceVersion = "3"
			if test.change != nil {
				test.change(cached)
			}
			f.hub.Client = &behind{cached: cached}
			f.adapter.Dropped = func(context.Context, *v1.ClusterProjection) func(string) bool {
				return func(namespace string) bool { return namespace == "left" }
			}
			p := asked(t, f, rule, test.event, test.version, test.annotations)
			copied := destination.Copy{NamespacedName: in(test.namespace).NamespacedName}
			assert.Equal(t, test.may, p.named().mayRetain(t.Context())(copySet{kind: p.copyKind}, copied))
		})
	}
}

func TestHandOverOfADeletedRuleIsWithdrawnWithItsPolicy(t *testing.T) {
	for name, edited := range map[string]bool{"as it was": false, "edited": true} {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			rule.ResourceVersion, rule.DeletionTimestamp = "2", &metav1.Time{Time: now}
			cached := rule.DeepCopy()
			cached.ResourceVersion = "3"
			if edited {
				cached.Generation++
			}
			f.hub.Client = &behind{cached: cached}
			p := asked(t, f, rule, apiwatch.Modified, "8", map[string]string{v1.AnnotationProjectable: "true"})
			assert.Equal(t, !edited, p.named().mayRetain(t.Context())(copySet{kind: p.copyKind}, destination.Copy{}))
		})
	}
}

func TestHandOverIsWithdrawnWithThePublicKeys(t *testing.T) {
	for public, may := range map[string]bool{"ca.crt, image": true, "ca.crt": false, "": false} {
		f, rule := newFixture(t), newRule()
		rule.Spec.Source.Kind, rule.Spec.Destination.Kind = "Secret", "ConfigMap"
		rule.Spec.Content.Data.Include = []string{"ca.crt"} // it included image when the copy was made
		rule.ResourceVersion = "2"
		f.hub.Client = &behind{cached: rule}
		p := asked(t, f, rule, apiwatch.Modified, "8", map[string]string{v1.AnnotationProjectable: "true", v1.AnnotationPublicKeys: public})
		copied := destination.Copy{State: destination.State{Published: "ca.crt,image"}}
		assert.Equal(t, may, p.named().mayRetain(t.Context())(copySet{kind: p.copyKind}, copied), public)
	}
}

// A write that an earlier reconcile has begun is waited for: what it leaves has its turn next.
func TestNothingIsHandedOverWhileAWriteIsUnderWay(t *testing.T) {
	f := newFixture(t)
	p := f.scope(newRule())
	p.named().consent = func(copySet, destination.Copy) bool { return true }
	set := copySet{kind: p.copyKind, CopySet: destination.CopySet{Owner: p.id, Resource: p.copyKind.GroupVersionResource()}}
	at := in("left").NamespacedName
	p.local.underWay = map[lane.Target]struct{}{set.target(at): {}}
	for name, copies := range map[string][]unwantedCopy{
		"a copy that is known":  {{destination.Copy{NamespacedName: at, State: destination.State{UID: "u", Fields: 1}}, plan.RetainIt}},
		"one that is not known": nil,
	} {
		t.Run(name, func(t *testing.T) {
			p.local.removals = nil
			require.NoError(t, p.local.endCopies(t.Context(), set, copies, nil)) // there is no client that a request could go to
			require.Len(t, p.local.removals, 1)
			assert.Equal(t, at, p.local.removals[0].Place.NamespacedName)
			assert.True(t, p.local.removals[0].Pending)
			assert.True(t, p.local.isPending())
		})
	}
}

func TestWhatBecomesOfCopiesThatAreNotPlanned(t *testing.T) {
	every := []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone, v1.RetainTargetDropped}
	const mine, foreign = "1 Secret/home/settings", "1 Secret/home/another"
	tests := map[string]struct {
		retain             []v1.RetainCause
		problem            string
		kind               string // of the copy
		namespace, content string
		name, published    string
		lastKeys           string
		becomes            plan.Disposal
	}{
		"dropped":                                    {every, "", "ConfigMap", "left", mine, "settings", "a", "a", plan.RetainIt},
		"dropped, not retained":                      {every[:2], "", "ConfigMap", "left", mine, "settings", "a", "a", plan.DeleteIt},
		"dropped, of another source":                 {every, "", "ConfigMap", "left", foreign, "settings", "a", "a", plan.DeleteIt},
		"dropped, of an earlier version":             {every, "", "ConfigMap", "left", "1", "settings", "a", "a", plan.DeleteIt},
		"dropped, without consent":                   {every, v1.ReasonSourceOptedOut, "ConfigMap", "left", mine, "settings", "a", "a", plan.DeleteIt},
		"renamed":                                    {every, "", "ConfigMap", "target", mine, "former", "a", "a", plan.DeleteIt},
		"of an earlier kind":                         {every, "", "Secret", "target", mine, "settings", "", "a", plan.DeleteIt},
		"in a target that has come back":             {every, "", "ConfigMap", "target", mine, "settings", "a", "a", plan.LeaveIt},
		"in a namespace that ends":                   {every, "", "ConfigMap", "ending", mine, "settings", "a", "a", plan.DeleteIt},
		"the source is gone":                         {every, v1.ReasonSourceDeleted, "ConfigMap", "target", mine, "settings", "a", "a", plan.KeepIt},
		"the source is gone, and was not seen":       {every, v1.ReasonSourceNotFound, "ConfigMap", "target", mine, "settings", "a", "a", plan.KeepIt},
		"the source is gone, not retained":           {every[2:], v1.ReasonSourceDeleted, "ConfigMap", "target", mine, "settings", "a", "a", plan.DeleteIt},
		"the source is gone, renamed":                {every, v1.ReasonSourceDeleted, "ConfigMap", "target", mine, "former", "a", "a", plan.KeepIt},
		"the source is gone, of an earlier kind":     {every, v1.ReasonSourceDeleted, "Secret", "target", mine, "settings", "", "", plan.KeepIt},
		"the source is gone, keys taken back":        {every, v1.ReasonSourceDeleted, "ConfigMap", "target", mine, "settings", "a,b", "a", plan.DeleteIt},
		"the source is gone, keys are not known":     {every, v1.ReasonSourceDeleted, "ConfigMap", "target", mine, "settings", "", "a", plan.DeleteIt},
		"the source is gone, and so is the target":   {every, v1.ReasonSourceDeleted, "ConfigMap", "left", mine, "settings", "a", "a", plan.RetainIt},
		"another source is gone than that of a copy": {every, v1.ReasonSourceDeleted, "ConfigMap", "target", foreign, "settings", "a", "a", plan.DeleteIt},
	}
	for list, becomes := range map[v1.RetainCause]plan.Disposal{v1.RetainSourceGone: plan.DeleteIt, v1.RetainTargetDropped: plan.DeleteIt} {
		test := tests["the source is gone, and so is the target"]
		test.retain, test.becomes = []v1.RetainCause{list}, becomes
		tests["the source is gone, and so is the target, only retained: "+string(list)] = test
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			rule.Spec.Source.Kind, rule.Spec.Destination.Kind, rule.Spec.Policy.Retain = "Secret", "ConfigMap", test.retain
			f.adapter.Dropped = func(context.Context, *v1.ClusterProjection) func(string) bool {
				return func(namespace string) bool { return namespace == "left" }
			}
			f.adapter.StillTarget = func(context.Context, *v1.ClusterProjection) func(string) bool {
				return func(namespace string) bool { return namespace == "target" }
			}
			event := apiwatch.Modified
			if test.problem != "" {
				event = apiwatch.Deleted
			}
			p := asked(t, f, rule, event, "8", map[string]string{v1.AnnotationProjectable: "true", v1.AnnotationPublicKeys: test.lastKeys})
			p.kind.Kind = "Secret"
			p.named().problem.Reason = test.problem
			p.rule.Annotations = map[string]string{v1.AnnotationConsentingSource: "Secret/home/settings"}
			set := copySet{kind: source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: test.kind}, Resource: p.copyKind.Resource}}
			copied := destination.Copy{State: destination.State{Content: test.content, Published: test.published}}
			copied.Namespace, copied.Name = test.namespace, test.name
			assert.Equal(t, test.becomes, p.disposalOf(t.Context())(set, copied))
		})
	}
}
