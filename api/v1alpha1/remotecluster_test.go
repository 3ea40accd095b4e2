package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/api/v1alpha1"
)

// apply applies a RemoteCluster as kubectl does, without keeping it, and returns it as it would be kept.
func apply(t *testing.T, name, spec string) (*unstructured.Unstructured, error) {
	t.Helper()
	return applyKind(t, v1alpha1.KindRemoteCluster, name, spec)
}

// applyKind does so with an object of that kind.
func applyKind(t *testing.T, kind, name, spec string) (*unstructured.Unstructured, error) {
	t.Helper()
	content := map[string]any{}
	require.NoError(t, yaml.UnmarshalStrict([]byte("spec: "+spec), &content))
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	object.SetName(name)
	return dynamic.NewForConfigOrDie(cluster.Config).Resource(v1alpha1.GroupVersion.WithResource(strings.ToLower(kind)+"s")).
		Apply(t.Context(), name, object, metav1.ApplyOptions{FieldManager: "kubectl", DryRun: []string{metav1.DryRunAll}})
}

func TestRemoteClustersThatAreAdmitted(t *testing.T) {
	for name, spec := range map[string]string{
		"kubeconfig":  `{access: {kubeconfig: {secret: eu-1-kubeconfig}}}`,
		"all of it":   `{access: {kubeconfig: {secret: eu-1, key: value, context: admin@eu-1}}, identity: "root:shop.a_b-c", paused: true, deletionPolicy: Orphan}`,
		"in cluster":  `{access: {inCluster: {}}}`,
		"namespaces":  `{access: {inCluster: {}}, allowedNamespaces: {matchLabels: {team: shop}}}`,
		"scope":       `{access: {inCluster: {}}, scope: {namespaces: [shop], kinds: [ConfigMap, Certificate.cert-manager.io], directions: [Push, Pull], home: ops}}`,
		"user":        `{access: {inCluster: {}}, impersonate: {user: "projection:platform"}}`,
		"users":       `{access: {inCluster: {}}, impersonate: {perNamespace: "projection:ns:{namespace}"}}`,
		"limits":      `{access: {inCluster: {}}, limits: {concurrency: 64, timeoutSeconds: 300}, absence: {releaseAfterSeconds: 604800, stalledAfterSeconds: 60}}`,
		"most of all": `{access: {inCluster: {}}, scope: {namespaces: [` + many(50, "n%062d") + `], kinds: [` + many(100, "Kind.g%0310d") + `]}, allowedNamespaces: {matchExpressions: [` + many(50, "{key: k%062d, operator: Exists}") + `]}}`,
	} {
		_, err := apply(t, "eu-1", spec)
		assert.NoError(t, err, name)
	}
}

func many(n int, format string) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(texts, ", ")
}

func TestRemoteClustersThatAreRefused(t *testing.T) {
	const (
		one         = "spec.access: set one of kubeconfig and inCluster: "
		oneUser     = "spec.impersonate: set one of user and perNamespace: "
		secret      = "spec.access.kubeconfig.secret: this cannot be the name of a Secret"
		user        = "spec.impersonate.user: this cannot be impersonated"
		perUser     = "spec.impersonate.perNamespace: write the name of a user with {namespace} in it"
		kind        = "spec.scope.kinds[0]: write a kind in PascalCase"
		identity    = "spec.identity: this cannot be an identity"
		clusterName = "<nil>: rules name a RemoteCluster, and their records do"
	)
	in := func(rest string) string { return "{access: {inCluster: {}}, " + rest + "}" }
	for name, test := range map[string]struct{ name, spec, want string }{
		"no access":                  {"", `{access: {}}`, one},
		"both":                       {"", `{access: {inCluster: {}, kubeconfig: {secret: a}}}`, one},
		"no secret":                  {"", `{access: {kubeconfig: {}}}`, "spec.access.kubeconfig.secret: Required value"},
		"empty secret":               {"", `{access: {kubeconfig: {secret: ""}}}`, secret},
		"secret elsewhere":           {"", `{access: {kubeconfig: {secret: ops/eu-1}}}`, secret},
		"key":                        {"", `{access: {kubeconfig: {secret: a, key: a/b}}}`, "spec.access.kubeconfig.key: this cannot be the key of a Secret"},
		"identity of two":            {"", in(`identity: "a,b"`), identity},
		"identity with an at":        {"", in(`identity: "a@b"`), identity},
		"empty identity":             {"", in(`identity: ""`), identity},
		"no user":                    {"", in(`impersonate: {}`), oneUser},
		"two users":                  {"", in(`impersonate: {user: a, perNamespace: "a:{namespace}"}`), oneUser},
		"namespace at the beginning": {"", in(`impersonate: {perNamespace: "{namespace}:kube-scheduler"}`), perUser},
		"namespace twice":            {"", in(`impersonate: {perNamespace: "a:{namespace}:{namespace}"}`), perUser},
		"other braces":               {"", in(`impersonate: {perNamespace: "a:{ns}"}`), perUser},
		"empty user":                 {"", in(`impersonate: {user: ""}`), "spec.impersonate.user: "},
		"user of Kubernetes":         {"", in(`impersonate: {user: "system:admin"}`), user},
		"user of two lines":          {"", in(`impersonate: {user: "a\nb"}`), user},
		"the same for all":           {"", in(`impersonate: {perNamespace: "a"}`), perUser},
		"service account":            {"", in(`impersonate: {perNamespace: "system:serviceaccount:{namespace}:a"}`), perUser},
		"kind in lower case":         {"", in(`scope: {kinds: [configmaps]}`), kind},
		"no kinds":                   {"", in(`scope: {kinds: []}`), "spec.scope.kinds: "},
		"direction":                  {"", in(`scope: {directions: [Both]}`), "spec.scope.directions[0]: supported values"},
		"namespace":                  {"", in(`scope: {namespaces: [A]}`), "spec.scope.namespaces[0]: this cannot be the name of a namespace"},
		"concurrency":                {"", in(`limits: {concurrency: 65}`), "spec.limits.concurrency: "},
		"timeout":                    {"", in(`limits: {timeoutSeconds: 0}`), "spec.limits.timeoutSeconds: "},
		"policy":                     {"", in(`deletionPolicy: Retain`), "spec.deletionPolicy: supported values"},
		"name with a dot":            {"eu.1", in(`paused: true`), clusterName},
		"name that is long":          {strings.Repeat("n", 64), in(`paused: true`), clusterName},
		"selector of namespaces":     {"", in(`allowedNamespaces: {matchExpressions: [{key: a, operator: In}]}`), "spec.allowedNamespaces.matchExpressions[0].values: "},
	} {
		t.Run(name, func(t *testing.T) {
			if test.name == "" {
				test.name = "eu-1"
			}
			_, err := apply(t, test.name, test.spec)
			requireRefused(t, err, test.want)
		})
	}
}

// requireRefused fails unless the API server has refused an object with the sentence, which begins with the path of the field.
func requireRefused(t *testing.T, err error, want string) {
	t.Helper()
	var refused *apierrors.StatusError
	require.ErrorAs(t, err, &refused)
	var causes []string
	for _, cause := range refused.ErrStatus.Details.Causes {
		_, sentence, found := strings.Cut(cause.Message, `": `)
		if !found {
			sentence = cause.Message
		}
		causes = append(causes, cause.Field+": "+sentence)
	}
	all := strings.Join(causes, "\n")
	assert.Contains(t, all, strings.SplitN(want, ": ", 2)[0]+": ")
	assert.Contains(t, all, strings.SplitN(want, ": ", 2)[1], all)
}

func TestDefaults(t *testing.T) {
	kept, err := apply(t, "eu-1", `{access: {inCluster: {}}}`)
	require.NoError(t, err)
	var remote v1alpha1.RemoteCluster
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(kept.Object, &remote))
	assert.Equal(t, v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}}}, remote.Spec, "nothing is filled in")
	assert.EqualValues(t, -1, remote.Status.ObservedGeneration)

	spec := remote.DeepCopy().Spec
	assert.Equal(t, 8, spec.Limits.GetConcurrency())
	assert.Equal(t, 15*time.Second, spec.Limits.Timeout())
	assert.Equal(t, 10*time.Minute, spec.Absence.StalledAfter())
	assert.Zero(t, spec.Absence.ReleaseAfter())
	spec.Limits = v1alpha1.ClusterLimits{Concurrency: 3, TimeoutSeconds: 5}
	spec.Absence = v1alpha1.AbsencePolicy{ReleaseAfterSeconds: 60, StalledAfterSeconds: 1}
	assert.Equal(t, 3, spec.Limits.GetConcurrency())
	assert.Equal(t, 5*time.Second, spec.Limits.Timeout())
	assert.Equal(t, time.Second, spec.Absence.StalledAfter())
	assert.Equal(t, time.Minute, spec.Absence.ReleaseAfter())
}

func TestSchemeKnowsTheKinds(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	assert.True(t, scheme.Recognizes(v1alpha1.GroupVersion.WithKind(v1alpha1.KindRemoteCluster)))
	assert.True(t, scheme.Recognizes(v1alpha1.GroupVersion.WithKind("RemoteClusterList")))
	assert.True(t, scheme.Recognizes(v1alpha1.GroupVersion.WithKind(v1alpha1.KindPublishedResource)))
	assert.True(t, scheme.Recognizes(v1alpha1.GroupVersion.WithKind("PublishedResourceList")))
}
