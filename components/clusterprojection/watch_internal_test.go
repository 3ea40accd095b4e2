package clusterprojection

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// rules is a cache that holds these rules.
type rules struct {
	client.Reader
	items []v1.ClusterProjection
}

func (r rules) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*v1.ClusterProjectionList).Items = r.items
	return nil
}

func namespace(group string, terminating bool) *metav1.PartialObjectMetadata {
	namespace := watch.NewNamespace()
	namespace.Name, namespace.Labels = "tenant", map[string]string{"group": group}
	if terminating {
		namespace.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	return namespace
}

func rule(name string, destination v1.ClusterProjectionDestination) v1.ClusterProjection {
	return v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: v1.ClusterProjectionSpec{Destination: destination}}
}

func TestWhichRulesAChangeOfANamespaceEnqueues(t *testing.T) {
	all := rules{items: []v1.ClusterProjection{
		rule("lists it", v1.ClusterProjectionDestination{Namespaces: []string{"other", "tenant"}}),
		rule("lists another", v1.ClusterProjectionDestination{Namespaces: []string{"other"}}),
		rule("selects red", v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "red"}}}),
	}}
	type woken map[string]watch.Trigger
	tests := map[string]struct {
		before, after *metav1.PartialObjectMetadata
		woken         woken
	}{
		"created":               {nil, namespace("red", false), woken{"lists it": watch.NamespaceAdded, "selects red": watch.NamespaceAdded}},
		"created, unselected":   {nil, namespace("", false), woken{"lists it": watch.NamespaceAdded}},
		"label gained":          {namespace("", false), namespace("red", false), woken{"selects red": watch.NamespaceAdded}},
		"label lost":            {namespace("red", false), namespace("", false), woken{"selects red": watch.NamespaceRemoved}},
		"another label":         {namespace("", false), namespace("blue", false), woken{}},
		"begins to end":         {namespace("red", false), namespace("red", true), woken{"lists it": watch.NamespaceRemoved, "selects red": watch.NamespaceRemoved}},
		"labelled as it ends":   {namespace("", true), namespace("red", true), woken{}},
		"has ended":             {namespace("red", true), nil, woken{"lists it": watch.NamespaceRemoved}},
		"ended out of a sudden": {namespace("red", false), nil, woken{"lists it": watch.NamespaceRemoved, "selects red": watch.NamespaceRemoved}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := woken{}
			wake := func(rule watch.RuleKey, cause watch.Trigger, _ time.Time) { got[rule.Name] = cause }
			newEventMatcher(NewNamespaces(all, nil, nil, nil)).changed(t.Context(), object(test.before), object(test.after), wake)
			assert.Equal(t, test.woken, got)
		})
	}
}

// TestRelabelledNamespaceEnqueuesTheRulesThatFailThere has a rule lack its copy in a namespace whose labels change: a policy that refused
// the copy may not apply to the namespace any more.
func TestRelabelledNamespaceEnqueuesTheRulesThatFailThere(t *testing.T) {
	failing := func(name string, failed int32, namespaces ...string) v1.ClusterProjection {
		rule := rule(name, v1.ClusterProjectionDestination{Namespaces: []string{"other", "tenant"}})
		rule.Status.NamespacesFailed = &failed
		for _, namespace := range namespaces {
			rule.Status.Failures = append(rule.Status.Failures, v1.NamespaceFailure{Namespace: namespace})
		}
		return rule
	}
	all := rules{items: []v1.ClusterProjection{
		failing("fails nowhere", 0), failing("fails there", 1, "tenant"), failing("fails elsewhere", 1, "other"), failing("fails more than it names", 2, "other"),
	}}
	got := map[string]watch.Trigger{}
	enqueue := func(rule watch.RuleKey, trigger watch.Trigger, _ time.Time) { got[rule.Name] = trigger }
	newEventMatcher(NewNamespaces(all, nil, nil, nil)).changed(t.Context(), namespace("", false), namespace("red", false), enqueue)
	assert.Equal(t, map[string]watch.Trigger{"fails there": watch.NamespaceAdded, "fails more than it names": watch.NamespaceAdded}, got)
}

// TestRelabelledNamespaceEnqueuesTheRulesWhosePermissionChanges has sources permit namespaces by the label "group".
func TestRelabelledNamespaceEnqueuesTheRulesWhosePermissionChanges(t *testing.T) {
	all, permissions := rules{}, watch.NewPermissions()
	for name, says := range map[string]string{"red": "namespaces: group=red", "not red": "namespaces: group!=red", "anywhere": "true"} {
		permission, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: says})
		require.NoError(t, err)
		for how, destination := range map[string]v1.ClusterProjectionDestination{
			"lists":   {Namespaces: []string{"tenant"}},
			"selects": {NamespaceSelector: &v1.NamespaceSelector{}},
			"ignores": {Namespaces: []string{"other"}},
		} {
			rule := rule(how+" "+name, destination)
			rule.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady, Status: metav1.ConditionTrue}}
			all.items = append(all.items, rule)
			permissions.Set(watch.RuleKey{Kind: v1.KindClusterProjection, NamespacedName: types.NamespacedName{Name: rule.Name}}, permission)
		}
	}
	type woken map[string]watch.Trigger
	gained := woken{
		"lists red": watch.NamespaceAdded, "selects red": watch.NamespaceAdded,
		"lists not red": watch.NamespaceRemoved, "selects not red": watch.NamespaceRemoved,
	}
	lost := woken{
		"lists red": watch.NamespaceRemoved, "selects red": watch.NamespaceRemoved,
		"lists not red": watch.NamespaceAdded, "selects not red": watch.NamespaceAdded,
	}
	for name, test := range map[string]struct {
		before, after *metav1.PartialObjectMetadata
		woken         woken
	}{
		"gained":         {namespace("", false), namespace("red", false), gained},
		"lost":           {namespace("red", false), namespace("blue", false), lost},
		"another label":  {namespace("blue", false), namespace("", false), woken{}},
		"lost at an end": {namespace("red", true), namespace("blue", true), woken{}},
	} {
		got := woken{}
		enqueue := func(rule watch.RuleKey, trigger watch.Trigger, _ time.Time) { got[rule.Name] = trigger }
		newEventMatcher(NewNamespaces(all, nil, permissions, nil)).changed(t.Context(), object(test.before), object(test.after), enqueue)
		assert.Equal(t, test.woken, got, name)
	}
}

// TestLostPermissionEnqueuesARuleThatMayHaveKeptACopy has rules that do not list the namespace any more.
func TestLostPermissionEnqueuesARuleThatMayHaveKeptACopy(t *testing.T) {
	all, permissions := rules{}, watch.NewPermissions()
	permission, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: "namespaces: group=red"})
	require.NoError(t, err)
	for name, change := range map[string]func(*v1.ClusterProjection){
		"ready":         func(*v1.ClusterProjection) {},
		"not ready":     func(rule *v1.ClusterProjection) { rule.Status.Conditions[0].Status = metav1.ConditionFalse },
		"edited":        func(rule *v1.ClusterProjection) { rule.Generation = 3 },
		"not looked at": func(rule *v1.ClusterProjection) { rule.Status.Conditions = nil },
	} {
		rule := rule(name, v1.ClusterProjectionDestination{Namespaces: []string{"other"}})
		rule.Generation, rule.Status.ObservedGeneration = 2, 2
		rule.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady, Status: metav1.ConditionTrue}}
		change(&rule)
		all.items = append(all.items, rule)
		permissions.Set(watch.RuleKey{Kind: v1.KindClusterProjection, NamespacedName: types.NamespacedName{Name: name}}, permission)
	}
	enqueued := func(before, after *metav1.PartialObjectMetadata) map[string]watch.Trigger {
		got := map[string]watch.Trigger{}
		enqueue := func(rule watch.RuleKey, trigger watch.Trigger, _ time.Time) { got[rule.Name] = trigger }
		newEventMatcher(NewNamespaces(all, nil, permissions, nil)).changed(t.Context(), object(before), object(after), enqueue)
		return got
	}
	lost := map[string]watch.Trigger{"not ready": watch.NamespaceRemoved, "edited": watch.NamespaceRemoved, "not looked at": watch.NamespaceRemoved}
	assert.Equal(t, lost, enqueued(namespace("red", false), namespace("blue", false)))
	assert.Empty(t, enqueued(namespace("blue", false), namespace("red", false)), "it gains nothing")
	assert.Empty(t, enqueued(namespace("red", false), nil), "its copies end with it")
}

// TestRefusedNamespaceEnqueuesNobodyWhoFailsThere has more namespaces than the status names, all of them refused by the owner of the source.
func TestRefusedNamespaceEnqueuesNobodyWhoFailsThere(t *testing.T) {
	rule, permissions := rule("lists many", v1.ClusterProjectionDestination{Namespaces: []string{"tenant"}}), watch.NewPermissions()
	rule.Status.NamespacesFailed = new(int32(25))
	permission, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: "namespaces: group=red"})
	require.NoError(t, err)
	permissions.Set(watch.RuleKey{Kind: v1.KindClusterProjection, NamespacedName: types.NamespacedName{Name: rule.Name}}, permission)
	enqueue := func(watch.RuleKey, watch.Trigger, time.Time) { assert.Fail(t, "nothing is gained") }
	newEventMatcher(NewNamespaces(rules{items: []v1.ClusterProjection{rule}}, nil, permissions, nil)).
		changed(t.Context(), namespace("", false), namespace("blue", false), enqueue)
}

// TestChangeThatExpressionsReadEnqueuesTheirRules has rules that read labels or an annotation of their targets.
func TestChangeThatExpressionsReadEnqueuesTheirRules(t *testing.T) {
	all, names := rules{}, watch.NewNames()
	for name, reads := range map[string]expressions.Names{
		"labels": {Target: true, Labels: true}, "annotation": {Target: true, Annotations: true, Keys: []string{"contact"}}, "name": {Target: true}, "nothing": {},
	} {
		for how, destination := range map[string]v1.ClusterProjectionDestination{
			"lists": {Namespaces: []string{"tenant"}}, "selects": {NamespaceSelector: &v1.NamespaceSelector{}}, "ignores": {Namespaces: []string{"other"}},
		} {
			rule := rule(how+" "+name, destination)
			all.items = append(all.items, rule)
			names.Set(watch.RuleKey{Kind: v1.KindClusterProjection, NamespacedName: types.NamespacedName{Name: rule.Name}}, reads)
		}
	}
	annotated := func(key, value string) *metav1.PartialObjectMetadata {
		namespace := namespace("red", false)
		namespace.Annotations = map[string]string{key: value}
		return namespace
	}
	for name, test := range map[string]struct {
		before, after *metav1.PartialObjectMetadata
		reads         string
	}{
		"a label":            {namespace("red", false), namespace("blue", false), "labels"},
		"the annotation":     {annotated("contact", "a"), annotated("contact", "b"), "annotation"},
		"another annotation": {annotated("heartbeat", "1"), annotated("heartbeat", "2"), ""},
	} {
		got, want := map[string]watch.Trigger{}, map[string]watch.Trigger{}
		if test.reads != "" {
			want["lists "+test.reads], want["selects "+test.reads] = watch.NamespaceAdded, watch.NamespaceAdded
		}
		enqueue := func(rule watch.RuleKey, trigger watch.Trigger, _ time.Time) { got[rule.Name] = trigger }
		newEventMatcher(NewNamespaces(all, nil, nil, names)).changed(t.Context(), object(test.before), object(test.after), enqueue)
		assert.Equal(t, want, got, name)
	}
}

// TestAnnotationsOfNamespacesConcernNoRuleThatDoesNotReadThem has the annotations of a namespace change all the time.
func TestAnnotationsOfNamespacesConcernNoRuleThatDoesNotReadThem(t *testing.T) {
	after := namespace("red", false)
	after.Annotations = map[string]string{"heartbeat": "2"}
	enqueue := func(watch.RuleKey, watch.Trigger, time.Time) { assert.Fail(t, "nobody reads it") }
	matcher := newEventMatcher(NewNamespaces(nil, nil, nil, watch.NewNames())) // the rules are not even listed
	matcher.changed(t.Context(), namespace("red", false), after, enqueue)
}

// object makes no namespace the nil that an event has.
func object(namespace *metav1.PartialObjectMetadata) metav1.Object {
	if namespace == nil {
		return nil
	}
	return namespace
}
