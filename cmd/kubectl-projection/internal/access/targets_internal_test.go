package access

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

func TestRuleCopiesIntoClusters(t *testing.T) {
	prod := &v1.ClusterSelector{MatchLabels: map[string]string{"tier": "prod"}}
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1", Labels: map[string]string{"tier": "prod"}}}
	for name, test := range map[string]struct {
		clusters *v1.ClusterTargets
		written  string
		wanted   bool
	}{
		"into this cluster":          {},
		"named":                      {clusters: &v1.ClusterTargets{Names: []string{"eu-2", "eu-1"}}, wanted: true},
		"another is named":           {clusters: &v1.ClusterTargets{Names: []string{"eu-2"}}},
		"selected":                   {clusters: &v1.ClusterTargets{Selector: prod}, wanted: true},
		"all are selected":           {clusters: &v1.ClusterTargets{Selector: &v1.ClusterSelector{}}, wanted: true},
		"selected but for itself":    {clusters: &v1.ClusterTargets{Selector: prod, Except: []string{"eu-1"}}},
		"others are selected":        {clusters: &v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]string{"tier": "test"}}}},
		"not any more, but recorded": {written: "eu-2=a,eu-1=b", wanted: true},
		"another is recorded":        {written: "eu-2=a,eu-10=eu-1"},
	} {
		t.Run(name, func(t *testing.T) {
			object := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1.AnnotationWrittenClusters: test.written}}}
			assert.Equal(t, test.wanted, Rule{Object: object, Clusters: test.clusters}.CopiesInto(remote))
		})
	}
}
