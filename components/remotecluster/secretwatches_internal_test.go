package remotecluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestVersionsOfASecret has a reflector say what it sees, as after a watch that had to begin anew.
func TestVersionsOfASecret(t *testing.T) {
	at := func(version string) any {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	}
	told := 0
	watches := newSecretWatches(nil, "projection-system", func(string) { told++ })
	watch := &secretWatch{}
	watches.follows["eu-1"], watches.watches["eu-1-kubeconfig"] = "eu-1-kubeconfig", watch
	versions := secretVersions{watches, "eu-1-kubeconfig", watch}
	for _, step := range []struct {
		name string
		do   func() error
		told int
		then string
	}{
		{"there is none", func() error { return versions.Replace(nil, "1") }, 0, ""},
		{"it is created", func() error { return versions.Add(at("2")) }, 1, "2"},
		{"it is listed as it was", func() error { return versions.Replace([]any{at("2")}, "5") }, 1, "2"},
		{"it has changed between two watches", func() error { return versions.Replace([]any{at("3")}, "5") }, 2, "3"},
		{"it changes", func() error { return versions.Update(at("4")) }, 3, "4"},
		{"it was deleted between two watches", func() error { return versions.Replace(nil, "9") }, 4, ""},
		{"it is created again", func() error { return versions.Add(at("10")) }, 5, "10"},
		{"it is deleted", func() error { return versions.Delete(at("11")) }, 6, ""},
	} {
		require.NoError(t, step.do())
		assert.Equal(t, step.told, told, step.name)
		assert.Equal(t, step.then, watch.version, step.name)
	}
}
