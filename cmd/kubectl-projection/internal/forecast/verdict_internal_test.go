package forecast

import (
	"cmp"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

// copied returns the metadata of a copy of the rule, as the rule has applied it with that content.
func copied(rule, content string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "web-1", Name: "copy",
		Annotations: map[string]string{v1.AnnotationOwnedByClusterProjection: rule, v1.AnnotationContentHash: content},
		ManagedFields: []metav1.ManagedFieldsEntry{{
			Manager: "ClusterProjection/" + rule, Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:a":{},"f:b":{}}}`),
		}},
	}}
}

func TestWhatIsInThePlaceOfACopy(t *testing.T) {
	drifted, ending, released := copied("base", "wanted"), copied("base", "wanted"), copied("base", "wanted")
	drifted.ManagedFields[0].FieldsV1 = metav1.NewFieldsV1(`{"f:data":{"f:a":{}}}`)
	ending.DeletionTimestamp = new(metav1.Now())
	released.Annotations, released.Labels = nil, map[string]string{owner.ClusterProjection.Label: "uid"}
	kept := copied("base", "other")
	kept.Labels, kept.Annotations[v1.AnnotationPlace] = map[string]string{owner.ClusterProjection.Label: "uid"}, "web-1/copy"
	merged := kept.DeepCopy()
	merged.Annotations[v1.AnnotationSource], merged.Annotations[v1.AnnotationLayers] = "ConfigMap/home/source", "ConfigMap/home/layer"
	adopt := owner.Spec{Policy: v1.Policy{OnConflict: v1.ConflictAdopt}}
	layer := v1.SourceRef{Kind: "ConfigMap", Namespace: "web-1", Name: "copy"}
	tests := map[string]struct {
		spec    owner.Spec
		wanted  string
		found   *metav1.PartialObjectMetadata
		state   State
		message string
		hasNext bool
	}{
		"nothing": {state: Missing, message: "there is no object in the place of the copy yet"},
		"nothing, while the rule is suspended": {
			spec: owner.Spec{Suspended: true}, state: Missing,
			message: "there is no object in the place of the copy yet; the rule is suspended, so that nothing is written",
		},
		"the copy":                     {found: copied("base", "wanted"), state: InSync},
		"the copy with other content":  {found: copied("base", "other"), state: OutOfSync, message: "the copy was written with other content than the rule wants now"},
		"a copy that somebody changed": {found: drifted, state: OutOfSync, message: "somebody else has changed fields of the copy, or the operator has not reported it yet"},
		"a copy that is being deleted": {found: ending, state: OutOfSync, message: "the copy is being deleted"},
		"a copy that keeps its content": {
			wanted: destination.AnyContent("uid"), found: kept, state: Exists, message: "spec.policy.updates is CreateOnly: the copy keeps its content",
		},
		"a copy that keeps its content, but for its label": {
			wanted: destination.AnyContent("uid"), found: copied("base", "other"), state: OutOfSync,
			message: "the copy was written with other content than the rule wants now",
		},
		"a copy with content of a layer that is not merged any more": {
			wanted: destination.AnyContent("uid"), found: merged, state: Unknown,
			message: "spec.policy.updates is CreateOnly, and the copy names an object that is not merged any more: whether its owner consents is not known",
		},
		"a copy of another rule": {
			found: copied("other", "wanted"), state: Foreign, message: "the object in the place of the copy is a copy of the ClusterProjection other", hasNext: true,
		},
		"a released copy": {
			found: released, state: Foreign, message: "the object in the place of the copy was released: somebody took the annotation of this rule off",
		},
		"an object": {found: &metav1.PartialObjectMetadata{}, state: Foreign, message: "the object in the place of the copy is no copy of this rule", hasNext: true},
		"an object of Helm": {
			found: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app.kubernetes.io/managed-by": "Helm"}}}, state: Foreign,
			message: "the object in the place of the copy is no copy of this rule, and has a mark of Helm (app.kubernetes.io/managed-by)", hasNext: true,
		},
		"a layer that does not exist": {
			spec: owner.Spec{Source: layer, Policy: adopt.Policy}, state: Foreign, message: "the place of the copy is that of the source, or of a layer", hasNext: true,
		},
		"an object that is adopted": {
			spec: adopt, found: &metav1.PartialObjectMetadata{}, state: Foreign,
			message: "the object in the place of the copy is no copy of this rule; spec.policy.onConflict is Adopt",
		},
	}
	object := &v1.ClusterProjection{}
	rule := access.Rule{Identity: owner.Identity{Kind: owner.ClusterProjection, Name: "base", UID: "uid"}, Object: object}
	object.Status.AppliedFields = destination.FieldSets{}.With(placeOf(rule, copied("base", "wanted")).state.Fields).Format(100)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			verdict := compareCopy(rule, test.spec, destination.DesiredCopy{Content: cmp.Or(test.wanted, "wanted")}, placeOf(rule, test.found).of(test.spec, SourceOf(layer)))
			assert.Equal(t, test.state, verdict.State)
			assert.Equal(t, test.message, verdict.Message)
			assert.Equal(t, test.hasNext, verdict.Next != "")
		})
	}
}

func TestWhyANamespaceIsNoTarget(t *testing.T) {
	selecting := func(selector v1.NamespaceSelector) v1.ClusterProjectionDestination {
		return v1.ClusterProjectionDestination{NamespaceSelector: &selector}
	}
	team := selecting(v1.NamespaceSelector{MatchLabels: map[string]string{"team": "web"}})
	labelled := func(labels map[string]string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "here", Labels: labels}}
	}
	ending := labelled(nil)
	ending.DeletionTimestamp = new(metav1.Now())
	tests := map[string]struct {
		destination v1.ClusterProjectionDestination
		namespace   *metav1.PartialObjectMetadata
		settings    access.Settings
		skipped     int
		reason      string
		message     string
		next        string
	}{
		"not listed": {
			destination: v1.ClusterProjectionDestination{Namespaces: []string{"there"}}, namespace: labelled(nil), reason: ReasonNotListed,
			message: "spec.destination.namespaces does not list the namespace here", next: "add it to the list",
		},
		"absent":      {destination: team, reason: ReasonNamespaceNotFound, message: "there is no namespace here"},
		"terminating": {destination: team, namespace: ending, reason: ReasonNamespaceTerminating, message: "the namespace here is being deleted"},
		"excluded": {
			destination: team, namespace: labelled(nil), settings: access.Settings{Known: true, Excluded: []string{"here"}}, reason: ReasonNamespaceExcluded,
			message: "the operator excludes the namespace here from selectors", next: "list it in spec.destination.namespaces of another rule",
		},
		"excluded, as far as is known": {
			destination: team, namespace: labelled(nil), settings: access.Settings{Excluded: []string{"here"}}, reason: ReasonNamespaceExcluded,
			message: "the operator excludes the namespace here from selectors, unless its settings, which you may not read, say otherwise",
			next:    "list it in spec.destination.namespaces of another rule",
		},
		"without the label": {
			destination: team, namespace: labelled(nil), reason: ReasonNotSelected,
			message: "spec.destination.namespaceSelector does not match: team=web (the namespace has no label team)",
			next:    "kubectl label namespace here team=web",
		},
		"with another value": {
			destination: team, namespace: labelled(map[string]string{"team": "shop"}), reason: ReasonNotSelected,
			message: "spec.destination.namespaceSelector does not match: team=web (the namespace has team=shop)",
			next:    "kubectl label namespace here team=web --overwrite",
		},
		"two requirements": {
			destination: selecting(v1.NamespaceSelector{MatchLabels: map[string]string{"stage": "prod", "team": "web"}}), namespace: labelled(nil),
			reason: ReasonNotSelected,
			message: "spec.destination.namespaceSelector does not match: stage=prod (the namespace has no label stage), " +
				"team=web (the namespace has no label team)",
		},
		"not permitted": {
			destination: team, namespace: labelled(map[string]string{"team": "web"}), skipped: 1, reason: v1.ReasonDestinationNotPermitted,
			message: "the owner permits others",
		},
		"the place of the source": {
			destination: team, namespace: labelled(map[string]string{"team": "web"}), reason: ReasonPlaceOfSource,
			message: "the place of the copy would be that of the source, or of a layer", next: "set destination.name",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Destination: test.destination}}
			verdict := explainNotTarget(rule, "here", test.namespace, test.settings, plan.Copies{Skipped: test.skipped, Refusal: "the owner permits others"})
			state := NotTarget
			if test.reason == ReasonNamespaceExcluded && !test.settings.Known {
				state = Unknown
			}
			assert.Equal(t, Verdict{State: state, Reason: test.reason, Message: test.message, Next: test.next}, verdict)
		})
	}
}
