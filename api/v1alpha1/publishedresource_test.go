package v1alpha1_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// publish applies a PublishedResource with what each has to have besides.
func publish(t *testing.T, rest string) (*unstructured.Unstructured, error) {
	t.Helper()
	return applyKind(t, v1alpha1.KindPublishedResource, "certificates", published(rest))
}

func published(rest string) string {
	if rest != "" {
		rest = ", " + rest
	}
	return `{service: {resource: {group: cert-manager.io, kind: Certificate}}, consumers: {clusters: {names: [eu-1]}}` + rest + `}`
}

func TestPublishedResourcesThatAreAdmitted(t *testing.T) {
	for name, rest := range map[string]string{
		"least":      ``,
		"filter":     `filter: {namespaceSelector: {matchLabels: {certs: "on"}}, objectSelector: {matchExpressions: [{key: internal, operator: DoesNotExist}]}, expression: "object.spec.dnsNames.all(n, n.endsWith('.example.com'))"}`,
		"projection": `projection: {group: certificates.example.com, kind: Zertifikat, plural: zertifikate, singular: zertifikat, shortNames: [zert], categories: [], versions: {v1: v1beta1}, schema: {hide: [spec.issuerRef, "spec.rules[*].secretName", "spec.annotations[\"example.com/a\"]"]}}`,
		"definition": `definition: {install: Never, upgrade: All, removal: DeleteWhenEmpty}`,
		"naming":     `naming: {namespace: "'consumer-' + cluster.id", name: "object.metadata.name + '-' + hash(object.metadata.namespace)", createNamespaces: Never}`,
		"mutation":   `mutation: {toService: {exclude: [spec.renewBefore], fields: [{path: spec.issuerRef.name, expression: "'corp-ca'"}], references: [{path: spec.secretName, related: tls}]}, toConsumer: {exclude: [status.failedIssuanceAttempts], fields: [{path: status.endpoint, expression: "object.spec.secretName"}]}}, related: [{name: tls, origin: Service, resource: {kind: Secret}, path: spec.secretName}]`,
		"related":    `related: [{name: tls, origin: Service, resource: {kind: Secret}, path: spec.secretName, whenOriginGone: Keep}, {name: password, origin: Consumer, resource: {kind: Secret}, path: spec.keystores.jks.passwordSecretRef.name, required: true}, {name: policies, origin: Consumer, resource: {group: policy.cert-manager.io, kind: Policy}, path: "spec.policies[*].name"}]`,
		"rest":       `status: {sync: Never, conflict: Overwrite, minIntervalSeconds: 10}, adoption: {policy: IfAllowed}, deletion: {policy: Orphan, wait: true, releaseAfterSeconds: 3600}, suspend: true`,
	} {
		_, err := publish(t, rest)
		require.NoError(t, err, name)
	}
	_, err := applyKind(t, v1alpha1.KindPublishedResource, "a", `{service: {cluster: certs-eu, resource: {group: a.b, kind: C, versions: [v1, v2alpha1]}}, consumers: {clusters: {selector: {}, except: [us-1]}}}`)
	assert.NoError(t, err)
}

func TestPublishedResourcesThatAreRefused(t *testing.T) {
	const (
		missing    = "Required value"
		path       = "this cannot be the path of a field"
		values     = "supported values"
		resource   = "this cannot be a name of a resource"
		references = "spec.mutation.toService.references: references name entries of related: add the entry, or correct its name here"
	)
	for name, test := range map[string]struct{ rest, want string }{
		"selector of objects":    {`filter: {objectSelector: {matchExpressions: [{key: a, operator: In}]}}`, "spec.filter.objectSelector.matchExpressions[0].values: "},
		"selector of namespaces": {`filter: {namespaceSelector: {matchLabels: {a: "b c"}}}`, "spec.filter.namespaceSelector.matchLabels[a]: this cannot be the value of a label"},
		"empty filter":           {`filter: {expression: ""}`, "spec.filter.expression: write a CEL expression"},
		"group":                  {`projection: {group: certificates.example.com/v1}`, "spec.projection.group: this cannot be the group of a CustomResourceDefinition"},
		"kind":                   {`projection: {kind: zertifikat}`, "spec.projection.kind: kind is written in PascalCase"},
		"plural":                 {`projection: {plural: Zertifikate}`, "spec.projection.plural: " + resource},
		"short name":             {`projection: {shortNames: ["0"]}`, "spec.projection.shortNames[0]: " + resource},
		"version":                {`projection: {versions: {v1: "1"}}`, "spec.projection.versions[v1]: a version is written without its group"},
		"version of the service": {`projection: {versions: {cert-manager.io/v1: v1}}`, "spec.projection.versions: versions of the service are written without their group"},
		"path with a dot":        {`projection: {schema: {hide: [.spec]}}`, "spec.projection.schema.hide[0]: " + path},
		"metadata":               {`projection: {schema: {hide: [metadata.labels]}}`, "spec.projection.schema.hide[0]: apiVersion, kind and metadata cannot be hidden"},
		"install":                {`definition: {install: Always}`, "spec.definition.install: " + values},
		"upgrade":                {`definition: {upgrade: Unsafe}`, "spec.definition.upgrade: " + values},
		"removal":                {`definition: {removal: Delete}`, "spec.definition.removal: " + values},
		"empty name":             {`naming: {name: ""}`, "spec.naming.name: write a CEL expression"},
		"namespaces":             {`naming: {createNamespaces: Always}`, "spec.naming.createNamespaces: " + values},
		"status to the service":  {`mutation: {toService: {fields: [{path: status.phase, expression: "1"}]}}`, "spec.mutation.toService.fields[0].path: apiVersion, kind and status cannot be set"},
		"our label":              {`mutation: {toService: {fields: [{path: 'metadata.labels["projection.sh/a"]', expression: "'b'"}]}}`, "spec.mutation.toService.fields[0].path: keys with the prefix projection.sh/"},
		"no expression":          {`mutation: {toService: {fields: [{path: spec.a}]}}`, "spec.mutation.toService.fields[0].expression: " + missing},
		"spec to the consumer":   {`mutation: {toConsumer: {fields: [{path: spec.a, expression: "1"}]}}`, "spec.mutation.toConsumer.fields[0].path: this cannot be the path of a field of a status"},
		"whole status":           {`mutation: {toConsumer: {exclude: [status]}}`, "spec.mutation.toConsumer.exclude[0]: this cannot be the path of a field of a status"},
		"no such related":        {`mutation: {toService: {references: [{path: spec.secretName, related: tls}]}}`, references},
		"another related":        {`mutation: {toService: {references: [{path: spec.secretName, related: tls}]}}, related: [{name: tsl, origin: Service, resource: {kind: Secret}, path: spec.secretName}]`, references},
		"related of a service":   {`related: [{name: tls, origin: Service, resource: {kind: Secret}, path: spec.secretName, required: true}]`, "spec.related[0].required: the service cannot be waited for"},
		"related without a path": {`related: [{name: tls, origin: Service, resource: {kind: Secret}}]`, "spec.related[0].path: " + missing},
		"related metadata":       {`related: [{name: tls, origin: Service, resource: {kind: Secret}, path: metadata.name}]`, "spec.related[0].path: apiVersion, kind, metadata and status cannot be chosen here"},
		"roles":                  {`related: [{name: r, origin: Consumer, resource: {group: rbac.authorization.k8s.io, kind: Role}, path: spec.a}]`, "spec.related[0].resource: its names mean other subjects"},
		"service accounts":       {`related: [{name: r, origin: Consumer, resource: {kind: ServiceAccount}, path: spec.a}]`, "spec.related[0].resource: its names mean other subjects"},
		"origin":                 {`related: [{name: r, origin: Hub, resource: {kind: Secret}, path: spec.a}]`, "spec.related[0].origin: " + values},
		"interval":               {`status: {minIntervalSeconds: 0}`, "spec.status.minIntervalSeconds: "},
		"conflict":               {`status: {conflict: Ignore}`, "spec.status.conflict: " + values},
		"adoption":               {`adoption: {policy: Always}`, "spec.adoption.policy: " + values},
		"deletion":               {`deletion: {policy: Retain}`, "spec.deletion.policy: " + values},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := publish(t, test.rest)
			requireRefused(t, err, test.want)
		})
	}
}

func TestServicesAndNamesThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ name, spec, want string }{
		"no group":        {"a", `{service: {resource: {kind: Certificate}}, consumers: {clusters: {names: [eu-1]}}}`, "spec.service.resource.group: Required value"},
		"kind":            {"a", `{service: {resource: {group: a.b, kind: certificates}}, consumers: {clusters: {names: [eu-1]}}}`, "spec.service.resource.kind: kind is written in PascalCase"},
		"version":         {"a", `{service: {resource: {group: a.b, kind: C, versions: [a.b/v1]}}, consumers: {clusters: {names: [eu-1]}}}`, "spec.service.resource.versions[0]: a version is written without its group"},
		"cluster":         {"a", `{service: {cluster: EU, resource: {group: a.b, kind: C}}, consumers: {clusters: {names: [eu-1]}}}`, "spec.service.cluster: this cannot be the name of a RemoteCluster"},
		"no consumers":    {"a", `{service: {resource: {group: a.b, kind: C}}, consumers: {clusters: {}}}`, "spec.consumers.clusters.names: at least one of names and selector must be set"},
		"name with a dot": {"a.b", published(``), "<nil>: copies name the PublishedResource"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := applyKind(t, v1alpha1.KindPublishedResource, test.name, test.spec)
			requireRefused(t, err, test.want)
		})
	}
}

// TestWhatConsumersHaveIsNotRenamed changes what copies and objects of consumers depend on.
func TestWhatConsumersHaveIsNotRenamed(t *testing.T) {
	client := dynamic.NewForConfigOrDie(cluster.Config).Resource(v1alpha1.GroupVersion.WithResource("publishedresources"))
	content := map[string]any{}
	require.NoError(t, yaml.UnmarshalStrict([]byte("spec: "+published(`projection: {kind: Zertifikat}`)), &content))
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.KindPublishedResource))
	object.SetName("renamed")
	_, err := client.Create(t.Context(), object, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, client.Delete(context.Background(), "renamed", metav1.DeleteOptions{})) })
	for name, test := range map[string]struct{ patch, want string }{
		"kind of the service": {`{"spec": {"service": {"resource": {"kind": "Issuer"}}}}`, "spec.service: objects of consumers have copies"},
		"cluster":             {`{"spec": {"service": {"cluster": "eu-1"}}}`, "spec.service: objects of consumers have copies"},
		"kind":                {`{"spec": {"projection": {"kind": "Zertifikate"}}}`, "spec.projection: consumers have objects of this kind"},
		"group":               {`{"spec": {"projection": {"group": "a.b"}}}`, "spec.projection: consumers have objects of this kind"},
		"no projection":       {`{"spec": {"projection": null}}`, "spec.projection: consumers have objects of this kind"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Patch(t.Context(), "renamed", types.MergePatchType, []byte(test.patch), metav1.PatchOptions{})
			requireRefused(t, err, test.want)
		})
	}
	_, err = client.Patch(t.Context(), "renamed", types.MergePatchType, []byte(
		`{"spec": {"service": {"resource": {"versions": ["v1"]}}, "projection": {"shortNames": ["z"]}, "suspend": true}}`), metav1.PatchOptions{})
	assert.NoError(t, err)
}

func TestDefaultsOfPublishedResources(t *testing.T) {
	kept, err := publish(t, ``)
	require.NoError(t, err)
	var resource v1alpha1.PublishedResource
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(kept.Object, &resource))
	assert.Equal(t, v1alpha1.PublishedResourceSpec{
		Service:   v1alpha1.PublishedService{Resource: v1alpha1.PublishedKind{Group: "cert-manager.io", Kind: "Certificate"}},
		Consumers: v1alpha1.Consumers{Clusters: v1.ClusterTargets{Names: []string{"eu-1"}}},
	}, resource.Spec, "nothing is filled in")
	assert.EqualValues(t, -1, resource.Status.ObservedGeneration)

	spec := resource.DeepCopy().Spec
	assert.Equal(t, time.Second, spec.Status.MinInterval())
	assert.Zero(t, spec.Deletion.ReleaseAfter())
	spec.Status.MinIntervalSeconds, spec.Deletion.ReleaseAfterSeconds = 5, 60
	assert.Equal(t, 5*time.Second, spec.Status.MinInterval())
	assert.Equal(t, time.Minute, spec.Deletion.ReleaseAfter())
}
