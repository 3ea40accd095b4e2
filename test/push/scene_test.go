package push_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/test/env/killed"
)

// scene is a source and a rule that copies it into both clusters.
type scene struct {
	*pushing

	operators *killed.Operator
	name      string
	given     string // the clusters with a copy before the story; empty: there is no rule
	act       func(*scene)
	change    func(*scene)
}

// Given implements killed.Scene.
func (s *scene) Given() {
	s.T.Helper()
	s.setting(s.name)
	if s.given != "" {
		s.project()
		s.targets(s.given)
		s.operators.Settles(s)
	}
}

// Act implements killed.Scene.
func (s *scene) Act() { s.act(s) }

// Change implements killed.Scene.
func (s *scene) Change() { s.change(s) }

func (s *scene) source() *corev1.ConfigMap {
	source := &corev1.ConfigMap{}
	source.Namespace, source.Name = s.Home, s.name
	return source
}

func (s *scene) rule() *v1.ClusterProjection {
	rule := &v1.ClusterProjection{}
	rule.Name = s.Away + "-" + s.name
	return rule
}

// exists reads the object of the hub, and reports whether it is there.
func (s *scene) exists(object client.Object) bool {
	s.T.Helper()
	err := s.Client.Get(s.T.Context(), client.ObjectKeyFromObject(object), object)
	require.NoError(s.T, client.IgnoreNotFound(err))
	return err == nil
}

// merge patches the object, if it is there.
func (s *scene) merge(object client.Object, patch string) {
	s.T.Helper()
	if s.exists(object) {
		s.Merge(object, patch)
	}
}

// project creates the rule.
func (s *scene) project() {
	s.T.Helper()
	source := s.World.Object(consenting)
	source.SetName(s.name)
	s.pushNamed(source)
}

// targets has the rule copy into the clusters.
func (s *scene) targets(names string) {
	s.T.Helper()
	s.merge(s.rule(), `{"spec": {"destination": {"clusters": {"names": `+names+`}}}}`)
}

// veto has the owner of the source opt out.
func (s *scene) veto() {
	s.T.Helper()
	s.merge(s.source(), `{"metadata": {"annotations": {"projection.sh/projectable": "false"}}}`)
}

// Problems implements killed.Scene: what is not as the rule and its source ask.
func (s *scene) Problems() (problems []string) {
	s.T.Helper()
	source, rule := s.source(), s.rule()
	consents := s.exists(source) && source.Annotations[v1.AnnotationProjectable] == "true"
	isRule := s.exists(rule)
	if isRule {
		problems = append(problems, s.reported(rule, consents)...)
	}
	for _, member := range s.pair() {
		wanted := "nothing"
		if isRule && consents && slices.Contains(rule.Spec.Destination.Clusters.Names, member.Remote.Name) {
			wanted = fmt.Sprintf("%s: %s, of %s", cmp.Or(rule.Spec.Destination.Name, s.name), source.Data["color"], rule.UID)
		}
		if found := s.copies(member); found != wanted {
			problems = append(problems, fmt.Sprintf("in %s there is %s instead of %s", member.Remote.Name, found, wanted))
		}
	}
	return problems
}

// copies returns what there is of the scene in the cluster.
func (s *scene) copies(member *place) string {
	s.T.Helper()
	list, found := &corev1.ConfigMapList{}, []string{}
	require.NoError(s.T, member.World.Client.List(s.T.Context(), list, client.InNamespace(member.namespace)))
	for i := range list.Items {
		if copied := &list.Items[i]; strings.HasPrefix(copied.Name, s.name) {
			found = append(found, fmt.Sprintf("%s: %s, of %s", copied.Name, copied.Data["color"], copied.Labels[v1.LabelOwnedByHubPrefix+s.hubID()]))
		}
	}
	return cmp.Or(strings.Join(found, "; "), "nothing")
}

// reported returns what the rule says that is not so.
func (s *scene) reported(rule *v1.ClusterProjection, consents bool) (problems []string) {
	ready, names := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady), rule.Spec.Destination.Clusters.Names
	switch recorded := projector.RecordedClusters(rule); {
	case rule.DeletionTimestamp != nil:
		problems = append(problems, "the rule is being deleted")
	case ready == nil || ready.ObservedGeneration != rule.Generation || (ready.Status == metav1.ConditionTrue) != consents:
		problems = append(problems, fmt.Sprintf("the rule says %+v", ready))
	case consents && !slices.Equal(recorded, names):
		problems = append(problems, fmt.Sprintf("the rule records %v instead of %v", recorded, names))
	case consents && !equality.Semantic.DeepEqual(rule.Status.Clusters, &v1.ClusterCounts{Targeted: int32(len(names)), InSync: int32(len(names))}):
		problems = append(problems, fmt.Sprintf("the rule counts %+v", rule.Status.Clusters))
	}
	return problems
}
