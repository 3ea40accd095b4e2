package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

func TestWhatIsInThePlaceOfACopy(t *testing.T) {
	rule := owner.Identity{Kind: owner.ClusterProjection, Name: "base"}
	object := func(owner, hash string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "web-1", Name: "copy", Annotations: map[string]string{
			v1.AnnotationOwnedByClusterProjection: owner, v1.AnnotationContentHash: hash,
		}}}
	}
	createOnly := owner.Spec{Policy: v1.Policy{Updates: v1.UpdateCreateOnly}}
	tests := map[string]struct {
		spec   owner.Spec
		found  *metav1.PartialObjectMetadata
		state  State
		reason string
	}{
		"nothing":                              {found: nil, state: Missing},
		"nothing, while the rule is suspended": {spec: owner.Spec{Suspended: true}, state: Missing, reason: v1.ReasonSuspended},
		"the copy":                             {found: object("base", "wanted"), state: InSync},
		"the copy with other content":          {found: object("base", "other"), state: OutOfSync},
		"a copy that keeps its content":        {spec: createOnly, found: object("base", "other"), state: Exists},
		"a copy of another rule":               {found: object("other", "wanted"), state: Foreign, reason: v1.ReasonDestinationConflict},
		"an object without annotations":        {found: &metav1.PartialObjectMetadata{}, state: Foreign, reason: v1.ReasonDestinationConflict},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			verdict := compareCopy(rule, test.spec, "wanted", test.found)
			assert.Equal(t, test.state, verdict.State)
			assert.Equal(t, test.reason, verdict.Reason)
			assert.Equal(t, test.state == InSync || test.state == Exists || test.state == OutOfSync, verdict.State.HasCopy())
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
			message: "the owner of the source permits no copy in the namespace here", next: "ask the owner of the source",
		},
		"the place of the source": {
			destination: team, namespace: labelled(map[string]string{"team": "web"}), reason: ReasonPlaceOfSource,
			message: "the place of the copy would be that of the source, or of a layer", next: "set destination.name",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Destination: test.destination}}
			verdict := explainNotTarget(rule, "here", test.namespace, test.settings, plan.Copies{Skipped: test.skipped})
			assert.Equal(t, Verdict{State: NotTarget, Reason: test.reason, Message: test.message, Next: test.next}, verdict)
		})
	}
}
