package olm

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/version"
)

// What is allowed in a bundle.
var (
	bundleKinds = []string{
		"ClusterServiceVersion", "CustomResourceDefinition", "Secret", "ClusterRole", "ClusterRoleBinding", "ServiceAccount", "Service", "Role",
		"RoleBinding", "PrometheusRule", "ServiceMonitor", "ConfigMap", "PodDisruptionBudget", "PriorityClass", "NetworkPolicy",
	}
	capabilities = []string{"Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"}
	categories   = []string{
		"AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Developer Tools", "Database", "Integration & Delivery",
		"Logging & Tracing", "Modernization & Migration", "Monitoring", "Networking", "OpenShift Optional", "Security", "Storage",
		"Streaming & Messaging",
	}
	mediaTypes   = []string{"image/gif", "image/jpeg", "image/png", "image/svg+xml"}
	installModes = []string{"AllNamespaces", "MultiNamespace", "OwnNamespace", "SingleNamespace"}
)

// maxSize is how large the objects of a bundle may be together: it is kept in a ConfigMap.
const maxSize = 1 << 20

// problems collects what is wrong with a bundle.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// expect adds the problem unless the condition holds.
func (p *problems) expect(holds bool, format string, args ...any) {
	if !holds {
		p.add(format, args...)
	}
}

// Validate returns what is wrong with the files of a bundle, by their paths.
func Validate(files map[string][]byte) []string {
	var p problems
	p.checkMetadata(files)
	var versions, definitions []*object
	size := 0
	for path, content := range files {
		if filepath.Dir(path) != "manifests" {
			continue
		}
		size += len(content)
		all, err := objectsOf(content)
		p.expect(err == nil && len(all) == 1, "%s: one object in a file, not %d: %v", path, len(all), err)
		for _, o := range all {
			p.expect(slices.Contains(bundleKinds, o.GetKind()), "%s: a bundle cannot have a %s", path, o.GetKind())
			p.expect(o.GetNamespace() == "", "%s: whoever installs the bundle chooses the namespace", path)
			switch o.GetKind() {
			case "ClusterServiceVersion":
				versions = append(versions, o)
			case "CustomResourceDefinition":
				definitions = append(definitions, o)
			}
		}
	}
	p.expect(size < maxSize, "%d bytes are too many", size)
	if len(versions) != 1 {
		p.add("one ClusterServiceVersion, not %d", len(versions))
		return p
	}
	csv := versions[0]
	p.checkNames(csv)
	p.checkDefinitions(csv, definitions)
	p.checkExamples(csv)
	p.checkInstall(csv)
	p.checkPresentation(csv)
	return p
}

// checkNames looks at the name and the versions.
func (p *problems) checkNames(csv *object) {
	_, number, found := strings.Cut(csv.GetName(), ".v")
	p.expect(found && len(validation.IsDNS1123Subdomain(csv.GetName())) == 0, "metadata.name %q: <package>.v<version>", csv.GetName())
	_, err := version.ParseSemantic(number)
	p.expect(err == nil, "metadata.name %q: %v", csv.GetName(), err)
	p.expect(number == text(csv.Object, "spec", "version"), "spec.version %q is not that of the name", text(csv.Object, "spec", "version"))
	_, err = version.ParseSemantic(text(csv.Object, "spec", "minKubeVersion"))
	p.expect(err == nil, "spec.minKubeVersion: %v", err)
}

// kindOf names a kind as both a CRD and an example do.
func kindOf(group, version, kind string) string { return group + "/" + version + " " + kind }

// owned returns the kinds that the ClusterServiceVersion provides.
func owned(csv *object) []string {
	var kinds []string
	for _, crd := range maps(csv.Object, "spec", "customresourcedefinitions", "owned") {
		_, group, _ := strings.Cut(text(crd, "name"), ".")
		kinds = append(kinds, kindOf(group, text(crd, "version"), text(crd, "kind")))
	}
	return slices.Sorted(slices.Values(kinds))
}

// checkDefinitions compares the CRDs of the bundle with what is said of them.
func (p *problems) checkDefinitions(csv *object, definitions []*object) {
	var defined []string
	for _, crd := range definitions {
		for _, v := range maps(crd.Object, "spec", "versions") {
			defined = append(defined, kindOf(text(crd.Object, "spec", "group"), text(v, "name"), text(crd.Object, "spec", "names", "kind")))
		}
	}
	slices.Sort(defined)
	p.expect(len(defined) > 0 && slices.Equal(defined, owned(csv)), "the CRDs are %q, but the ClusterServiceVersion owns %q", defined, owned(csv))
	for _, crd := range maps(csv.Object, "spec", "customresourcedefinitions", "owned") {
		p.expect(text(crd, "displayName") != "" && text(crd, "description") != "", "%s: displayName and description", text(crd, "name"))
	}
}

// checkExamples wants one of each kind, and no others.
func (p *problems) checkExamples(csv *object) {
	var examples []map[string]any
	err := json.Unmarshal([]byte(csv.GetAnnotations()["alm-examples"]), &examples)
	p.expect(err == nil, "alm-examples: %v", err)
	var kinds []string
	for _, example := range examples {
		group, version, _ := strings.Cut(text(example, "apiVersion"), "/")
		kinds = append(kinds, kindOf(group, version, text(example, "kind")))
	}
	slices.Sort(kinds)
	p.expect(slices.Equal(kinds, owned(csv)), "alm-examples: %q instead of %q", kinds, owned(csv))
}

// checkInstall looks at how the operator is installed.
func (p *problems) checkInstall(csv *object) {
	var modes []string
	supported := false
	for _, mode := range maps(csv.Object, "spec", "installModes") {
		modes = append(modes, text(mode, "type"))
		supported = supported || mode["supported"] == true
	}
	p.expect(slices.Equal(slices.Sorted(slices.Values(modes)), installModes), "spec.installModes: each one once, not %q", modes)
	p.expect(supported, "spec.installModes: none is supported")
	p.expect(text(csv.Object, "spec", "install", "strategy") == "deployment", "spec.install.strategy: deployment")

	accounts := map[string]bool{}
	for _, kind := range []string{"permissions", "clusterPermissions"} {
		for _, permission := range maps(csv.Object, "spec", "install", "spec", kind) {
			accounts[text(permission, "serviceAccountName")] = true
			p.expect(len(maps(permission, "rules")) > 0, "spec.install.spec.%s: no rules", kind)
		}
	}
	deployments := maps(csv.Object, "spec", "install", "spec", "deployments")
	p.expect(len(deployments) > 0, "spec.install.spec.deployments: none")
	for _, deployment := range deployments {
		account := text(deployment, "spec", "template", "spec", "serviceAccountName")
		p.expect(accounts[account], "the service account %q of the Deployment %s has no permissions", account, text(deployment, "name"))
		for _, container := range maps(deployment, "spec", "template", "spec", "containers") {
			p.expect(at(container, "resources", "requests") != nil, "the container %s requests no resources", text(container, "name"))
			p.expect(text(container, "image") == csv.GetAnnotations()["containerImage"], "the annotation containerImage is not %s", text(container, "image"))
		}
	}
}

// checkPresentation looks at what catalogs show.
func (p *problems) checkPresentation(csv *object) {
	for _, path := range []string{"displayName", "description", "maturity"} {
		p.expect(text(csv.Object, "spec", path) != "", "spec.%s is empty", path)
	}
	p.expect(text(csv.Object, "spec", "provider", "name") != "", "spec.provider.name is empty")
	capability := csv.GetAnnotations()["capabilities"]
	p.expect(slices.Contains(capabilities, capability), "the annotation capabilities: %q is none of %q", capability, capabilities)
	for category := range strings.SplitSeq(csv.GetAnnotations()["categories"], ",") {
		p.expect(slices.Contains(categories, category), "the annotation categories: %q is none of %q", category, categories)
	}
	icons := maps(csv.Object, "spec", "icon")
	p.expect(len(icons) == 1, "spec.icon: one, not %d", len(icons))
	for _, icon := range icons {
		data, err := base64.StdEncoding.DecodeString(text(icon, "base64data"))
		p.expect(err == nil && len(data) > 0 && slices.Contains(mediaTypes, text(icon, "mediatype")), "spec.icon: %s %v", text(icon, "mediatype"), err)
	}
	for _, link := range maps(csv.Object, "spec", "links") {
		_, err := url.ParseRequestURI(text(link, "url"))
		p.expect(err == nil && text(link, "name") != "", "spec.links: %q %v", text(link, "name"), err)
	}
	for _, maintainer := range maps(csv.Object, "spec", "maintainers") {
		_, err := mail.ParseAddress(text(maintainer, "email"))
		p.expect(err == nil && text(maintainer, "name") != "", "spec.maintainers: %q %v", text(maintainer, "name"), err)
	}
}
