package olm

import (
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

const prefix = "operators.operatorframework.io.bundle."

// checkMetadata looks at the metadata of the bundle, which its image repeats as labels.
func (p *problems) checkMetadata(files map[string][]byte) {
	var metadata struct{ Annotations map[string]string }
	err := yaml.Unmarshal(files[filepath.Join("metadata", "annotations.yaml")], &metadata)
	p.expect(err == nil, "metadata/annotations.yaml: %v", err)
	for key, value := range map[string]string{"mediatype.v1": "registry+v1", "manifests.v1": "manifests/", "metadata.v1": "metadata/"} {
		p.expect(metadata.Annotations[prefix+key] == value, "metadata/annotations.yaml: %s%s is not %s", prefix, key, value)
	}
	p.expect(metadata.Annotations[prefix+"package.v1"] != "", "metadata/annotations.yaml: no package")
	channels := strings.Split(metadata.Annotations[prefix+"channels.v1"], ",")
	standard := metadata.Annotations[prefix+"channel.default.v1"]
	p.expect(standard != "" && slices.Contains(channels, standard), "metadata/annotations.yaml: the default channel %q is none of %q", standard, channels)
	for key, value := range metadata.Annotations {
		label := "LABEL " + key + "=" + value + "\n"
		p.expect(strings.Contains(string(files["bundle.Dockerfile"]), label), "bundle.Dockerfile: no %s", strings.TrimSpace(label))
	}
}
