package migrate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

var teams = World{Mode: policy.Allowlist, Excluded: []string{"kube-system"}, Namespaces: map[string]map[string]string{
	"team-a": {"team": "a"}, "team-b": {"team": "b"}, "kube-system": {"team": "a"},
}}

// copiesIn returns a group of a ConfigMap with a copy in each of the namespaces.
func copiesIn(namespaces ...string) *group {
	it := &group{source: Ref{configMaps, types.NamespacedName{Namespace: "platform", Name: "ca"}}, name: "ca"}
	for _, namespace := range namespaces {
		it.copies = append(it.copies, Ref{configMaps, types.NamespacedName{Namespace: namespace, Name: "ca"}})
	}
	return it
}

func TestRuleThatIsThereHasToHaveAllCopies(t *testing.T) {
	ruleOfTheSource := func(destination v1.ClusterProjectionDestination) *v1.ClusterProjection {
		rule := ruleOf("ca", copiesIn())
		rule.Spec.Destination = destination
		return rule
	}
	selectsA := &v1.NamespaceSelector{MatchLabels: map[string]string{"team": "a"}}
	for name, test := range map[string]struct {
		destination v1.ClusterProjectionDestination
		left        string
	}{
		"lists all":  {v1.ClusterProjectionDestination{Namespaces: []string{"team-a", "team-b", "kube-system"}}, ""},
		"lists some": {v1.ClusterProjectionDestination{Namespaces: []string{"team-b", "kube-system"}}, "any more: team-a."},
		"selects some, of which the operator excludes one": {v1.ClusterProjectionDestination{NamespaceSelector: selectsA}, "any more: team-b, kube-system."},
	} {
		t.Run(name, func(t *testing.T) {
			var result Result
			result.addExisting([]*v1.ClusterProjection{ruleOfTheSource(test.destination)}, copiesIn("team-a", "team-b", "kube-system"), teams)
			text := strings.Join(result.Notes, "\n")
			assert.Contains(t, text, "The ClusterProjection ca copies it already")
			assert.Contains(t, text, test.left)
			assert.Equal(t, test.left != "", strings.Contains(text, "It has no copy in these namespaces"))
		})
	}

	both := []*v1.ClusterProjection{
		ruleOfTheSource(v1.ClusterProjectionDestination{Namespaces: []string{"team-a"}}), ruleOfTheSource(v1.ClusterProjectionDestination{Namespaces: []string{"team-b"}}),
	}
	both[0].Spec.Suspend = true
	var result Result
	result.addExisting(both, copiesIn("team-a", "team-b"), teams)
	assert.Len(t, result.Notes, 2)
	assert.Equal(t, "It is suspended: ca.", result.Notes[1])
}

func TestRuleOfOtherNamesOrKindsIsNoneForTheCopies(t *testing.T) {
	same, named, computed, other := ruleOf("same", copiesIn()), ruleOf("named", copiesIn()), ruleOf("computed", copiesIn()), ruleOf("other", copiesIn())
	named.Spec.Destination.Name, computed.Spec.Destination.NameExpression, other.Spec.Destination.Kind = "another", "'ca'", "Secret"
	world := World{Rules: []*v1.ClusterProjection{named, computed, other, same}}
	assert.Equal(t, []*v1.ClusterProjection{same}, world.rulesFor(copiesIn()))
}

func TestConsentThatIsThereHasToPermitAllCopies(t *testing.T) {
	for said, want := range map[string]string{
		"true":                        "",
		"namespaces: team in (a,b)":   "",
		"namespaces: team=b":          "DestinationNotPermitted: team-a.",
		"false":                       "The owner does not consent",
		"ture":                        "The owner does not consent",
		"namespaces: team in (":       "permits no namespace",
		"namespaces: team in (a,b,c)": "",
	} {
		var result Result
		result.addSaid(said, copiesIn("team-a", "team-b"), &source{annotations: map[string]string{v1.AnnotationProjectable: said}}, teams)
		assert.Equal(t, want == "", len(result.Notes) == 0, said)
		assert.Contains(t, strings.Join(result.Notes, "\n"), want, said)
	}
}

func TestCopiesThatAreNotTakenOver(t *testing.T) {
	it := copiesIn()
	it.refused = copiesIn("team-a").copies
	for text, given := range map[string]*grant{
		"since the source does not permit the namespace: team-a.":                      {},
		"since it cannot be decided whether the source permits the namespace: team-a.": {permits: reach{broken: []string{"^(?!kube-)"}}},
	} {
		var result Result
		result.addRefused(replicator, it, &source{grant: given})
		assert.Contains(t, result.Notes[0], text)
		assert.Contains(t, result.Notes[1], "--allow-all")
	}
	var none Result
	none.addRefused(reflector, copiesIn(), &source{})
	assert.Empty(t, none.Notes)
}

func TestReplicatorReadsItsAnnotations(t *testing.T) {
	annotated := func(key, value string) *grant {
		return lookOfReplicator(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
			replicatorPrefix + key: value, replicatorPrefix + "replication-allowed-namespaces": "team-a",
		}}}).grant
	}
	assert.True(t, annotated("replicate-to-matching", "").pushes.all)
	alternatives := annotated("replicate-to", "team|-b").pushes
	for namespace, isTarget := range map[string]bool{"team-a": true, "web-b": true, "a-team": false} {
		assert.Equal(t, isTarget, alternatives.has(namespace, nil), namespace)
	}
	for value, isAllowed := range map[string]bool{"1": true, "t": true, "True": true, "yes": false, "": false} {
		given := annotated("replication-allowed", value)
		assert.Equal(t, isAllowed, given != nil && given.permits.has("team-a", nil), value)
	}
}

func TestLongPatternsAreReadAndQuotedInPart(t *testing.T) {
	var found reach
	long := strings.Repeat("a", 50) + "|" + strings.Repeat("b", 3*maxQuoted)
	found.readPatterns(long, whole)
	assert.True(t, found.has(strings.Repeat("a", 50), nil))
	assert.Less(t, len(found.String()), 2*maxQuoted)
	found = reach{}
	found.readPatterns(strings.Repeat("a", maxRead+1), whole)
	assert.Len(t, found.broken, 1)
	assert.False(t, found.has(strings.Repeat("a", maxRead+1), nil))
}
