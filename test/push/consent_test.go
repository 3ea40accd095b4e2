package push_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// TestConsentAcrossClusters changes what the owner of the source declares.
func TestConsentAcrossClusters(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	hubID := p.hubID()
	rule := p.push(source)
	p.Ready(rule)
	for _, step := range []struct {
		what, projectable, exportable string
		east, west                    bool
	}{
		{"not exportable", `"true"`, `null`, false, false},
		{"for both", `"true"`, `"` + p.uidOfMember(p.east) + `, ` + p.uidOfMember(p.west) + `"`, true, true},
		{"for one", `"true"`, `"` + p.uidOfMember(p.east) + `"`, true, false},
		{"for the other", `"true"`, `"` + p.uidOfMember(p.west) + `"`, false, true},
		{"for the hub only", `"true"`, `"` + hubID + `"`, false, false},
		{"for all", `"true"`, `"true"`, true, true},
		{"in some namespaces only", `"namespaces: kubernetes.io/metadata.name=` + p.Away + `"`, `"true"`, false, false},
		{"for all again", `"true"`, `"true"`, true, true},
		{"opted out", `"false"`, `"true"`, false, false},
	} {
		p.Merge(source, `{"metadata": {"annotations": {"projection.sh/projectable": `+step.projectable+`, "projection.sh/exportable": `+step.exportable+`}}}`)
		for member, wanted := range map[*place]bool{p.east: step.east, p.west: step.west} {
			if wanted {
				member.holds(source, "red")
			} else {
				member.lacks(source)
			}
		}
		switch {
		case step.east && step.west:
			p.Ready(rule)
		case step.what == "opted out":
			p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceOptedOut)
		default:
			condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable, v1.ReasonSourceNotExportable)
			assert.NotEmpty(t, condition.Message, step.what)
		}
	}
}

func (p *pushing) uidOfMember(member *place) string {
	return member.Remote.Get().Status.Identity
}

// TestPublicKeysAcrossClusters copies keys of a Secret as a ConfigMap into other clusters, of which its owner takes one back.
func TestPublicKeysAcrossClusters(t *testing.T) {
	for name, retain := range map[string][]v1.RetainCause{"the rule retains nothing": nil, "the rule retains copies": {v1.RetainSourceGone}} {
		t.Run(name, func(t *testing.T) {
			p := newPushing(t)
			source := p.World.Create(`{apiVersion: v1, kind: Secret, metadata: {namespace: $HOME, name: settings, annotations: {
				projection.sh/projectable: "true", projection.sh/exportable: "true", projection.sh/public-keys: "color,size"}},
				stringData: {color: red, size: big}}`)
			rule := p.push(source, func(rule *v1.ClusterProjection) {
				rule.Spec.Destination.Kind, rule.Spec.Policy.Retain = "ConfigMap", retain
				rule.Spec.Content.Data.Include = []v1.KeyPattern{"color"}
			})
			p.Ready(rule)
			like := p.World.Object(consenting)
			p.both(like, "red")
			p.Merge(source, `{"metadata": {"annotations": {"projection.sh/public-keys": null}}}`)
			for _, member := range p.pair() {
				member.lacks(like)
			}
			p.Merge(source, `{"metadata": {"annotations": {"projection.sh/public-keys": "color,size"}}}`)
			p.both(like, "red")
			p.Ready(rule)
		})
	}
}

// TestCopyIsNotMadeOrdinaryWithoutTheSource has a RemoteCluster go that makes its copies ordinary objects, while the source cannot be read.
func TestCopyIsNotMadeOrdinaryWithoutTheSource(t *testing.T) {
	p := newPushing(t)
	p.east.Edit(func(remote *v1alpha1.RemoteCluster) { remote.Spec.DeletionPolicy = v1alpha1.DeletionOrphan })
	origin := p.west.World.Namespace("origin", nil)
	source := p.west.World.Object(consenting)
	source.SetNamespace(origin)
	require.NoError(t, p.west.World.Client.Create(t.Context(), source))
	rule := p.push(source, selecting, func(rule *v1.ClusterProjection) { rule.Spec.Source.Cluster = "west" })
	p.Ready(rule)
	copied := p.east.holds(source, "red")
	p.away(p.west)
	p.west.World.Merge(source, `{"metadata": {"annotations": {"projection.sh/projectable": "false"}}}`)
	p.east.Remote.Delete()
	p.says(p.east.Remote, func(now *v1alpha1.RemoteCluster) bool {
		return meta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionReady).Reason == v1alpha1.ReasonDeleting
	}, "it waits")
	p.Settles(hub, operatorUser)
	now, err := p.east.World.Get(source, p.Away, "settings")
	require.NoError(t, err)
	assert.Equal(t, copied.GetResourceVersion(), now.GetResourceVersion())
	p.west.heal()
	p.east.lacks(source)
	p.ends(p.east.Remote)
}
