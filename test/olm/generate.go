package olm

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// labels are the bundle's: its metadata, and the labels of its image.
var labels = [][2]string{
	{"operators.operatorframework.io.bundle.mediatype.v1", "registry+v1"},
	{"operators.operatorframework.io.bundle.manifests.v1", "manifests/"},
	{"operators.operatorframework.io.bundle.metadata.v1", "metadata/"},
	{"operators.operatorframework.io.bundle.package.v1", "projection"},
	{"operators.operatorframework.io.bundle.channels.v1", "alpha"},
	{"operators.operatorframework.io.bundle.channel.default.v1", "alpha"},
}

// Generate returns the files of the bundle, by their paths, from the files below the directory top.
func Generate(top string) (map[string][]byte, error) {
	read := func(path ...string) []byte {
		content, err := os.ReadFile(filepath.Join(append([]string{top}, path...)...))
		if err != nil {
			panic(err)
		}
		return content
	}
	installed, err := objectsOf(read("deploy", "install.yaml"))
	if err != nil {
		return nil, err
	}
	var chart struct{ Annotations map[string]string }
	if err := yaml.Unmarshal(read("deploy", "charts", "projection", "Chart.yaml"), &chart); err != nil {
		return nil, err
	}
	bases, err := objectsOf(read("config", "olm", "base.yaml"))
	if err != nil || len(bases) != 1 {
		return nil, fmt.Errorf("config/olm/base.yaml has %d objects: %w", len(bases), err)
	}
	version := bases[0]
	bundled, err := describe(version, installed)
	if err != nil {
		return nil, err
	}
	if err := decorate(version, chart.Annotations["artifacthub.io/crdsExamples"], read("deploy", "icon.svg")); err != nil {
		return nil, err
	}
	files := map[string][]byte{"bundle.Dockerfile": dockerfile(), filepath.Join("metadata", "annotations.yaml"): annotations()}
	for _, o := range append(bundled, version) {
		content, err := yaml.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		files[filepath.Join("manifests", strings.ToLower(o.GetName()+"."+o.GetKind())+".yaml")] = content
	}
	return files, nil
}

// describe puts the Deployment and the permissions of the installed objects into the ClusterServiceVersion. It returns the others that
// belong into the bundle. The manager of operators creates the namespace, the service account and the bindings.
func describe(version *object, installed []*object) (bundled []*object, err error) {
	spec := map[string]any{}
	roles := map[string][]any{}
	for _, o := range installed {
		name := o.GetName()
		switch o.GetKind() {
		case "Deployment":
			spec["deployments"] = []any{map[string]any{"name": name, "label": anyMap(o.GetLabels()), "spec": at(o.Object, "spec")}}
			image := text(maps(o.Object, "spec", "template", "spec", "containers")[0], "image")
			_, tag, _ := strings.Cut(image, ":v")
			version.SetName("projection.v" + tag)
			err = unstructured.SetNestedField(version.Object, tag, "spec", "version")
			version.SetAnnotations(with(version.GetAnnotations(), "containerImage", image))
		case "Role":
			roles["permissions"] = append(roles["permissions"], at(o.Object, "rules").([]any)...)
		case "ClusterRole":
			if strings.HasSuffix(name, "-manager-role") {
				roles["clusterPermissions"] = append(roles["clusterPermissions"], at(o.Object, "rules").([]any)...)
				continue
			}
			bundled = append(bundled, o)
		case "CustomResourceDefinition", "Service":
			o.SetNamespace("")
			bundled = append(bundled, o)
		}
		if err != nil {
			return nil, err
		}
	}
	for kind, rules := range roles {
		spec[kind] = []any{map[string]any{"serviceAccountName": "projection-manager", "rules": rules}}
	}
	return bundled, unstructured.SetNestedMap(version.Object, map[string]any{"strategy": "deployment", "spec": spec}, "spec", "install")
}

// decorate adds the examples and the icon.
func decorate(version *object, examples string, icon []byte) error {
	var parsed []map[string]any
	if err := yaml.Unmarshal([]byte(examples), &parsed); err != nil {
		return err
	}
	content, err := json.MarshalIndent(parsed, "", "  ")
	if err != nil {
		return err
	}
	version.SetAnnotations(with(version.GetAnnotations(), "alm-examples", string(content)))
	return unstructured.SetNestedSlice(version.Object, []any{map[string]any{
		"mediatype": "image/svg+xml", "base64data": base64.StdEncoding.EncodeToString(icon),
	}}, "spec", "icon")
}

func with(m map[string]string, key, value string) map[string]string {
	m[key] = value
	return m
}

func anyMap(m map[string]string) map[string]any {
	all := map[string]any{}
	for key, value := range m {
		all[key] = value
	}
	return all
}

func annotations() []byte {
	var b strings.Builder
	b.WriteString("annotations:\n")
	for _, label := range labels {
		fmt.Fprintf(&b, "  %s: %s\n", label[0], label[1])
	}
	return []byte(b.String())
}

func dockerfile() []byte {
	var b strings.Builder
	b.WriteString("# The image of the bundle: docker build -f deploy/olm/bundle.Dockerfile deploy/olm\nFROM scratch\n")
	for _, label := range labels {
		fmt.Fprintf(&b, "LABEL %s=%s\n", label[0], label[1])
	}
	b.WriteString("COPY manifests /manifests/\nCOPY metadata /metadata/\n")
	return []byte(b.String())
}
