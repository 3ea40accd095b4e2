package hostile_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// policies are installed once, for all tests: they do not bind administrators, as whom the others run.
var policies sync.Mutex

// tenant installs the policies and returns what a tenant sees of the cluster, who may do what he likes with ConfigMaps in both namespaces, and
// has the installed rights on Projections.
func (w *world) tenant() client.Client {
	w.T.Helper()
	w.installPolicies()
	tenant := fixture.Client(w.T, w.account("tenant"))
	w.mayIn(w.Away, "tenant", right("", "configmaps", "*"), right(v1.Domain, "projections", "get list watch create update patch delete"))
	w.mayIn(w.Home, "tenant", right("", "configmaps", "get list create update patch delete"))
	return tenant
}

func (w *world) installPolicies() {
	w.T.Helper()
	policies.Lock()
	defer policies.Unlock()
	_ = w.Client.Create(w.T.Context(), w.Object(`{apiVersion: v1, kind: Namespace, metadata: {name: projection-system}}`)) // or it is there
	files, err := filepath.Glob(env.Root() + "/deploy/policies/*.yaml")
	require.NoError(w.T, err)
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		for _, object := range objectsOf(w.T, file) {
			require.NoError(w.T, w.Client.Apply(w.T.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("admin"), client.ForceOwnership))
		}
	}
}

// objectsOf returns the objects of a manifest.
func objectsOf(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var objects []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		var object unstructured.Unstructured
		if decoder.Decode(&object) != nil {
			require.NotEmpty(t, objects)
			return objects
		}
		objects = append(objects, &object)
	}
}

// requireDenied waits until the policy is in force, and checks what it says.
func requireDenied(t *testing.T, try func() error, message string) {
	t.Helper()
	var err error
	require.Eventually(t, func() bool {
		err = try()
		return apierrors.IsForbidden(err)
	}, env.Timeout, env.Interval)
	assert.ErrorContains(t, err, message)
}

func creating(as client.Client, object runtime.Object) func() error {
	return func() error {
		return as.Create(context.Background(), object.DeepCopyObject().(client.Object), client.DryRunAll)
	}
}

func TestConsentTakesARightOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.mayIn(w.Home, "consenting", right("", "configmaps", "create patch consent"))
	consenting := fixture.Client(t, w.account("consenting"))
	tenant := w.tenant()
	source := w.Object(configMap)
	requireDenied(t, creating(tenant, source), `you need the verb "consent" on configmaps in the namespace `+w.Home)
	require.NoError(t, consenting.Create(t.Context(), source))

	for name, patch := range map[string]string{
		"to change what consents": `{"data":{"color":"blue"}}`,
		"to veto":                 `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`,
	} {
		require.NoError(t, tenant.Patch(t.Context(), source, rawMerge(patch)), name)
	}
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), source.DeepCopy(), rawMerge(`{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`))
	}, "consent")
}

func TestMarksOfOwnershipAreTheOperators(t *testing.T) {
	f := newForger(t)
	tenant := f.tenant()
	for _, marks := range []string{ofRule, ofCluster} {
		forged := f.Object(f.marks(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $AWAY, name: forged, ` + marks + `}}`))
		requireDenied(t, creating(tenant, forged), "only the operator writes ")
	}
	copied := f.becomes(f.source, fixture.Anything)
	require.NoError(t, tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"labels":{"example.com/mine":"1"}}}`)), "a copy that stays one")
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"`+f.Away+`/other"}}}`))
	}, "only the operator writes ")
	for _, madeOf := range []string{v1.AnnotationSource, v1.AnnotationSourceUID, v1.AnnotationLayers, v1.AnnotationPublishedKeys} {
		requireDenied(t, func() error {
			return tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"annotations":{"`+madeOf+`":"x"}}}`))
		}, "only the operator writes ")
	}
	for _, place := range []string{`null`, `""`, `"elsewhere/settings"`} {
		requireDenied(t, func() error {
			return tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"annotations":{"projection.sh/place":`+place+`}}}`))
		}, "only the operator writes ")
	}
	for _, uid := range []string{`null`, `""`, `"another"`} {
		requireDenied(t, func() error {
			return tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":`+uid+`}}}`))
		}, "only the operator writes ")
	}
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"labels":{"projection.sh/owned-by-cluster-projection-uid":"x"}}}`))
	}, "only the operator writes ")
	require.NoError(t, tenant.Patch(t.Context(), copied.DeepCopy(),
		rawMerge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null},"labels":{"projection.sh/owned-by-projection-uid":null}}}`),
		client.DryRunAll), "handing over without a trace")
	require.NoError(t, tenant.Patch(t.Context(), copied.DeepCopy(), rawMerge(`{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`)), "handing over")
	f.says(f.rule, v1.ReasonDestinationConflict)
}

func TestTenantsProjectWhatIsOnTheList(t *testing.T) {
	w := newWorld(t)
	tenant := w.tenant()
	w.may("tenant", right("", "configmaps secrets", "get"), right(rbacv1.GroupName, "roles", "get")) // else the policy "authors" refuses
	rule := func(kind, group, namespace string) *v1.Projection {
		return &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, GenerateName: "rule-"},
			Spec:       v1.ProjectionSpec{Source: v1.SourceRef{Group: group, Kind: kind, Namespace: namespace, Name: "any"}, Destination: v1.ProjectionDestination{Name: "other"}},
		}
	}
	requireDenied(t, creating(tenant, rule("Role", rbacv1.GroupName, "platform")), "tenants are not allowed to copy Role.rbac.authorization.k8s.io; allowed kinds: ConfigMap, Secret")
	requireDenied(t, creating(tenant, rule("ConfigMap", "", "kube-system")), "tenants are not allowed to copy from the namespace kube-system; allowed namespaces: platform")
	require.NoError(t, creating(tenant, rule("Secret", "", "platform"))())
	require.NoError(t, creating(tenant, rule("ConfigMap", "", w.Away))(), "from the tenant's own namespace")
	require.NoError(t, creating(w.Client, rule("Role", rbacv1.GroupName, "kube-system"))(), "who may create ClusterProjections is no tenant")

	listed := rule("Secret", "", "platform")
	require.NoError(t, tenant.Create(t.Context(), listed))
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), listed.DeepCopy(), rawMerge(`{"spec":{"source":{"namespace":"kube-system"}}}`), client.DryRunAll)
	}, "kube-system")
}

// The policies "sources" and "authors" ask for layers what they ask for the source.
func TestTenantsMergeWhatIsOnTheListAndWhatTheyMayRead(t *testing.T) {
	w := newWorld(t)
	tenant := w.tenant()
	readable := right("", "configmaps", "get")
	readable.ResourceNames = []string{"any"}
	w.may("tenant", readable)
	rule := func(last v1.Layer, others int) *v1.Projection {
		rule := &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, GenerateName: "rule-"},
			Spec: v1.ProjectionSpec{
				Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "any"},
				Destination: v1.ProjectionDestination{Name: "other"}, Merge: &v1.Merge{},
			},
		}
		for range others {
			rule.Spec.Merge.Layers = append(rule.Spec.Merge.Layers, v1.Layer{Namespace: "platform", Name: "any"})
		}
		rule.Spec.Merge.Layers = append(rule.Spec.Merge.Layers, last)
		return rule
	}
	for _, others := range []int{0, 1, 2, 15} {
		requireDenied(t, creating(tenant, rule(v1.Layer{Namespace: "platform", Name: "private"}, others)),
			`you need the verb "get" on each of these, or "list" where the name is *, to have a rule merge them: `)
		require.NoError(t, creating(tenant, rule(v1.Layer{Namespace: "platform", Name: "any"}, others))(), "%d others", others)
	}
	selected := v1.Layer{Namespace: "platform", Selector: &v1.SourceSelector{}}
	requireDenied(t, creating(tenant, rule(selected, 1)), "ConfigMap platform/*")
	ofSecret := rule(v1.Layer{Kind: "Secret", Namespace: "platform", Name: "any"}, 0)
	ofSecret.Spec.Destination.Kind = "Secret"
	requireDenied(t, creating(tenant, ofSecret), "Secret platform/any")
	requireDenied(t, creating(tenant, rule(v1.Layer{Namespace: "kube-system", Name: "any"}, 3)),
		"tenants are not allowed to merge layers of the namespace kube-system; allowed namespaces: platform")

	listed := rule(v1.Layer{Namespace: "platform", Name: "any"}, 0)
	require.NoError(t, tenant.Create(t.Context(), listed))
	requireDenied(t, func() error {
		return tenant.Patch(t.Context(), listed.DeepCopy(), rawMerge(`{"spec":{"merge":{"layers":[{"namespace":"kube-system","name":"any"}]}}}`), client.DryRunAll)
	}, "kube-system")
	require.NoError(t, tenant.Patch(t.Context(), listed.DeepCopy(), rawMerge(`{"spec":{"merge":null}}`), client.DryRunAll))
}

func TestSelectorsSayWhatTheyMean(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	tests := map[string]struct {
		selector string
		allowed  bool
	}{
		"everything":                {`{}`, false},
		"what lacks a label":        {`{matchExpressions: [{key: a, operator: DoesNotExist}]}`, false},
		"what has not that value":   {`{matchExpressions: [{key: a, operator: NotIn, values: [b]}]}`, false},
		"a label":                   {`{matchLabels: {a: b}}`, true},
		"a label and not a value":   {`{matchExpressions: [{key: a, operator: Exists}, {key: a, operator: NotIn, values: [b]}]}`, true},
		"one of several values":     {`{matchExpressions: [{key: a, operator: In, values: [b, c]}]}`, true},
		"a label, and lacks others": {`{matchLabels: {a: b}, matchExpressions: [{key: c, operator: DoesNotExist}]}`, true},
	}
	for name, test := range tests {
		rule := w.Object(`{apiVersion: projection.sh/v1, kind: ClusterProjection, metadata: {generateName: rule-}, spec: {
			source: {kind: ConfigMap, namespace: $HOME, name: settings}, destination: {namespaceSelector: ` + test.selector + `}}}`)
		if test.allowed {
			require.NoError(t, creating(w.Client, rule)(), name)
			continue
		}
		requireDenied(t, creating(w.Client, rule), "the selector requires no label")
	}
}

func TestOperatorWorksUnderThePolicies(t *testing.T) {
	f := newForger(t)
	requireDenied(t, creating(f.tenant(), f.Object(f.marks(`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: $AWAY, name: forged, `+ofRule+`}}`))), "operator")
	f.operatorWith(nil, right("", "configmaps", copying))
	rule := f.project(f.source, f.served, func(rule *v1.Projection) { rule.Spec.Destination.Name = "copy" })
	f.Ready(rule)
	f.Merge(f.source, `{"data":{"color":"blue"}}`)
	require.Eventually(t, func() bool {
		copied := f.read(f.source, f.Away, "copy")
		return copied != nil && entry(copied, "color") == "blue"
	}, env.Timeout, env.Interval)
	f.Delete(rule)
	f.Gone(rule)
	assert.Nil(t, f.read(f.source, f.Away, "copy"))
}
