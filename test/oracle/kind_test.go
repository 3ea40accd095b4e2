package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

func TestCopiesOfAnotherKind(t *testing.T) {
	c := healthy(t)
	c.rule.Spec.Destination.Kind = "Secret"
	c.rule.Annotations[v1.AnnotationWrittenKinds] = "Secret"
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "Secret home/settings is lost", "the place beside the source is free")
	assert.Contains(t, problems, "Secret one/settings is lost")
	assert.Contains(t, problems, "ConfigMap two/settings is stale")

	c.rule.Status.NamespacesTargeted, c.rule.Status.NamespacesWritten = new(int32(3)), new(int32(3))
	for _, namespace := range []string{"home", "one", "two"} {
		if namespace != "home" {
			delete(c.Objects, place(namespace))
		}
		c.put(strings.NewReplacer("$NAMESPACE", namespace, "kind: ConfigMap", "kind: Secret\ntype: Opaque", `"1", theirs-entry`, `"MQ==", theirs-entry`).Replace(copied))
	}
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	set(c.Objects[oracle.Place{Kind: schema.GroupKind{Kind: "Secret"}, Namespace: "one", Name: "settings"}], "example.com/other", "type")
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the content is")
}

// published is a cluster where keys of a Secret are copied as a ConfigMap. The rule says that all is well.
func published(t *testing.T, public string) *cluster {
	t.Helper()
	c := healthy(t)
	delete(c.foreign, place("home"))
	delete(c.Objects, place("home"))
	c.foreign.Note(c.put(`{apiVersion: v1, kind: Secret, type: Opaque, data: {size: MQ==, image: /w==, key: a2V5}, metadata: {namespace: home, name: settings,
		labels: {color: red}, annotations: {note: words, projection.sh/projectable: "true", projection.sh/public-keys: "` + public + `"}}}`))
	c.rule.Spec.Source.Kind, c.rule.Spec.Destination.Kind = "Secret", "ConfigMap"
	c.rule.Spec.Content.Data = v1.DataFilter{Include: []string{"size", "image", "key"}, Exclude: []string{"k*"}}
	c.rule.Status.NamespacesTargeted, c.rule.Status.NamespacesWritten = new(int32(3)), new(int32(3))
	for _, namespace := range []string{"home", "one", "two"} {
		c.put(strings.NewReplacer("$NAMESPACE", namespace, "\ndata:", "\nbinaryData: {image: /w==}\ndata:").Replace(copied))
		set(c.at(namespace), "image,size", "metadata", "annotations", v1.AnnotationPublishedKeys)
	}
	return c
}

func TestKeysThatAreDeclaredPublic(t *testing.T) {
	c := published(t, "image, size")
	assert.Empty(t, oracle.Problems(c.State, c.foreign))
	set(c.at("one"), "words", "metadata", "annotations", "note")
	assert.Contains(t, strings.Join(oracle.Problems(c.State, c.foreign), "\n"), "one/settings: the annotations is")

	c = published(t, "size")
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "ConfigMap one/settings is stale")
	assert.Contains(t, problems, "SourceResolved is True/Resolved (), not False/SourceNotProjectable")

	c = published(t, "size")
	c.rule.Spec.Destination = v1.ClusterProjectionDestination{Namespaces: []v1.NamespaceName{"one"}, Kind: "Secret"}
	set(c.at("one"), "Secret/home/settings", "metadata", "annotations", v1.AnnotationSource)
	c.foreign.Note(c.put(`{apiVersion: v1, kind: Secret, metadata: {namespace: one, name: settings}}`))
	problems = strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.Contains(t, problems, "ConfigMap one/settings holds keys that are not declared public", "though a foreign object is in the way of what replaces it")
}
