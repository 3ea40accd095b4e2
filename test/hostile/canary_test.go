package hostile_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// canaryPrefix begins every canary. Nothing else does.
const canaryPrefix = "c4n4ry"

// secretWorld is a world whose source is a Secret that holds a canary.
type secretWorld struct {
	*world
	canary   string
	searched *manager.Process // whose words are searched
}

func newSecretWorld(t *testing.T) *secretWorld {
	t.Helper()
	return &secretWorld{newWorld(t), canaryPrefix + rand.String(12), operator}
}

// secret creates the source. The fields of the object are added to it.
func (c *secretWorld) secret(fields string) *unstructured.Unstructured {
	c.T.Helper()
	return c.Create(`{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: $HOME, annotations: {projection.sh/projectable: "true",
		kubectl.kubernetes.io/last-applied-configuration: ` + c.canary + `}}, stringData: {key: ` + c.canary + `}, ` + fields + `}`)
}

// forms are how the canary can show.
func (c *secretWorld) forms() []string {
	plain := []byte(c.canary)
	return []string{
		c.canary, strings.ToUpper(c.canary),
		base64.StdEncoding.EncodeToString(plain), base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(plain))),
		hex.EncodeToString(plain), strings.Trim(fmt.Sprintf("%d", plain), "[]"),
	}
}

// requireSilence checks everything that the operator has told: its log, events, rules, metrics and marks on copies.
func (c *secretWorld) requireSilence() {
	c.T.Helper()
	measured, err := c.searched.Metrics(c.T.Context())
	require.NoError(c.T, err)
	told := map[string]string{"the log": c.searched.Log(), "the metrics": measured}
	require.Contains(c.T, told["the log"], c.Away, "the log is as talkative as it can be")
	for where, list := range map[string]client.ObjectList{
		"the rules": &v1.ProjectionList{}, "the rules of the cluster": &v1.ClusterProjectionList{}, "the events": &eventsv1.EventList{},
	} {
		require.NoError(c.T, c.Client.List(c.T.Context(), list))
		told[where] = asJSON(c.T, list)
	}
	for _, kind := range []string{"Secret", "ConfigMap"} {
		var objects metav1.PartialObjectMetadataList
		objects.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
		require.NoError(c.T, c.Client.List(c.T.Context(), &objects))
		for i := range objects.Items {
			if marks := &objects.Items[i].ObjectMeta; isCopy(marks) {
				told["the metadata of the copy "+kind+" "+marks.Namespace+"/"+marks.Name] = asJSON(c.T, marks)
			}
		}
	}
	for where, words := range told {
		for _, form := range c.forms() {
			if !assert.NotContains(c.T, words, form, "in %s", where) {
				break
			}
		}
	}
}

func isCopy(object metav1.Object) bool {
	return slices.ContainsFunc([]owner.RuleKind{owner.Projection, owner.ClusterProjection}, func(tier owner.RuleKind) bool {
		_, owned := tier.OwnerOf(object)
		return owned
	})
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	return string(encoded)
}

func TestSecretIsNotQuotedWhenAllGoesWell(t *testing.T) {
	c := newSecretWorld(t)
	source := c.secret("")
	rule := c.project(source)
	c.Ready(rule)
	first := c.becomes(source, func(o *unstructured.Unstructured) bool { return decoded(t, o) == c.canary })

	c.Merge(first, `{"stringData":{"key":"meddled with"}}`)
	c.becomes(source, func(o *unstructured.Unstructured) bool { return decoded(t, o) == c.canary })
	c.Merge(source, `{"stringData":{"key":"`+c.canary+`2"}}`)
	c.becomes(source, func(o *unstructured.Unstructured) bool { return decoded(t, o) == c.canary+"2" })
	c.Delete(first)
	c.becomes(source, func(o *unstructured.Unstructured) bool { return o.GetUID() != first.GetUID() })
	c.requireSilence()

	c.Delete(rule)
	c.Gone(rule)
	c.requireSilence()
}

func decoded(t *testing.T, secret *unstructured.Unstructured) string {
	t.Helper()
	value, err := base64.StdEncoding.DecodeString(entry(secret, "key"))
	require.NoError(t, err)
	return string(value)
}

func TestSecretIsNotQuotedWhenItsCopyIsRefused(t *testing.T) {
	quota := func(c *secretWorld) {
		limit := c.Create(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: $AWAY}, spec: {hard: {count/secrets: "0"}}}`)
		require.Eventually(c.T, func() bool {
			hard, _, _ := unstructured.NestedString(c.read(limit, c.Away, "none").Object, "status", "hard", "count/secrets")
			return hard == "0"
		}, env.Timeout, env.Interval)
	}
	foreign := func(c *secretWorld) {
		c.Create(`{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: $AWAY}}`)
	}
	crowded := func(rule *v1.Projection) {
		rule.Spec.Overlay.Annotations = map[string]string{"full": strings.Repeat("x", 262100)}
	}
	misnamed := func(rule *v1.Projection) { rule.Spec.Destination.Name = "Not_A_Name" }
	as := func(*v1.Projection) {}
	tests := map[string]struct {
		before          func(*secretWorld)
		rule            func(*v1.Projection)
		reason, message string
	}{
		"by a policy that quotes it":  {denyByPolicy, as, v1.ReasonDestinationCreateFailed, "ValidatingAdmissionPolicy '"},
		"by a webhook that quotes it": {denyByWebhook, as, v1.ReasonDestinationCreateFailed, `admission webhook "`},
		"by a quota":                  {quota, as, v1.ReasonDestinationCreateFailed, `secrets "token" is forbidden: exceeded quota: none, requested: count/secrets=1`},
		"by a stranger in its place":  {foreign, as, v1.ReasonDestinationConflict, "an object is there that is not a copy of this rule"},
		"since it is too large":       {func(*secretWorld) {}, crowded, v1.ReasonDestinationCreateFailed, "the object is invalid: metadata.annotations (FieldValueTooLong)"},
		"for its name":                {func(*secretWorld) {}, misnamed, v1.ReasonDestinationCreateFailed, "the object is invalid: metadata.name (FieldValueInvalid)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newSecretWorld(t)
			test.before(c)
			rule := c.project(c.secret("type: Opaque"), test.rule)
			assert.Contains(t, c.says(rule, test.reason), test.message)
			c.settlesOrRetries()
			c.requireSilence()
		})
	}
}

// settlesOrRetries returns when another try can have failed.
func (c *secretWorld) settlesOrRetries() {
	c.T.Helper()
	mark := len(operator.Log())
	c.Merge(c.read(c.Object(`{apiVersion: v1, kind: Secret}`), c.Home, "token"), `{"stringData":{"other":"`+c.canary+`"}}`)
	require.Eventually(c.T, func() bool { return strings.Contains(operator.Log()[mark:], c.Away) }, env.Timeout, env.Interval)
}

func TestSecretIsNotQuotedInAWarning(t *testing.T) {
	c := newSecretWorld(t)
	warnByPolicy(c)
	c.Ready(c.project(c.secret("")))
	c.requireSilence()
}

func TestSecretIsNotQuotedWhenItsTypeChanges(t *testing.T) {
	c := newSecretWorld(t)
	source := c.secret("type: Opaque")
	rule := c.project(source)
	c.Ready(rule)
	c.Create(`{apiVersion: v1, kind: Secret, type: example.com/` + c.canary + `, stringData: {key: ` + c.canary + `x},
		metadata: {name: another, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}}`)
	// Nobody knows of which source it is a copy, so it is not replaced with the source.
	c.Merge(c.read(source, c.Away, "token"), `{"metadata":{"annotations":{"`+v1.AnnotationSourceUID+`":null}}}`)
	c.Merge(rule, `{"spec":{"source":{"name":"another"},"destination":{"name":"token"}}}`)
	c.says(rule, v1.ReasonDestinationUpdateFailed)
	assert.Equal(t, c.canary, decoded(t, c.read(source, c.Away, "token")), "the old copy is whole")
	c.requireSilence()
}

// dispose deletes an object of the cluster after the test.
func (w *world) dispose(object client.Object) {
	w.T.Helper()
	w.T.Cleanup(func() { assert.NoError(w.T, client.IgnoreNotFound(w.Client.Delete(context.Background(), object))) })
}
