package hostile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// publish has a rule copy the key as a ConfigMap.
func publish(keys ...string) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		rule.Spec.Destination.Kind = "ConfigMap"
		rule.Spec.Content.Data.Include = keys
	}
}

// declares has the owner of the Secret declare the keys public.
func (c *secretWorld) declares(source *unstructured.Unstructured, keys string) {
	c.T.Helper()
	c.Merge(source, `{"metadata":{"annotations":{"projection.sh/public-keys":"`+keys+`"}}}`)
}

func publicCopy() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
}

func TestPublicKeyIsNotQuotedWhenAllGoesWell(t *testing.T) {
	c := newSecretWorld(t)
	source := c.secret("")
	c.Merge(source, `{"metadata":{"annotations":{"other":"`+c.canary+`"}}}`)
	c.declares(source, "key")
	rule := c.project(source, publish("key"))
	c.Ready(rule)
	copied := c.Exists(publicCopy(), c.Away, "token", func(o *unstructured.Unstructured) bool { return entry(o, "key") == c.canary })
	c.Merge(copied, `{"data":{"key":"meddled with"}}`)
	c.Exists(copied, c.Away, "token", func(o *unstructured.Unstructured) bool { return entry(o, "key") == c.canary })
	c.Merge(source, `{"stringData":{"key":"`+c.canary+`2"}}`)
	c.Exists(copied, c.Away, "token", func(o *unstructured.Unstructured) bool { return entry(o, "key") == c.canary+"2" })
	c.requireSilence()

	c.Delete(rule)
	c.Gone(rule)
	c.requireSilence()
}

func TestPublicKeyIsNotQuotedWhenItsCopyIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		before  func(*secretWorld)
		message string
	}{
		"by a policy that quotes it": {denyByPolicy, " create configmap NAME --dry-run=server (ValidatingAdmissionPolicy "},
		"by a webhook that quotes it": {
			denyByWebhook, `(admission webhook "quoting.example.com" denies the request; details withheld: they may quote the Secret)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newSecretWorld(t)
			test.before(c)
			source := c.secret("type: Opaque")
			c.declares(source, "key")
			assert.Contains(t, c.says(c.project(source, publish("key")), v1.ReasonDestinationCreateFailed), test.message)
			c.settlesOrRetries()
			c.requireSilence()
		})
	}
}

// TestOperatorWithoutRightsOnTheKindOfCopies lacks rights on the kind of the source, or on that of the copies.
func TestOperatorWithoutRightsOnTheKindOfCopies(t *testing.T) {
	secrets, configMaps := right("", "secrets", "get list watch"), right("", "configmaps", copying)
	for name, test := range map[string]struct {
		rights          []rbacv1.PolicyRule
		reason, message string // none: the copy is written
	}{
		"to read the source":   {[]rbacv1.PolicyRule{configMaps}, v1.ReasonSourceFetchFailed, `cannot list resource "secrets"`},
		"to list the copies":   {[]rbacv1.PolicyRule{secrets}, v1.ReasonDestinationFetchFailed, `resource "configmaps" in API group "" at the cluster scope`},
		"to write the copy":    {[]rbacv1.PolicyRule{secrets, right("", "configmaps", "get list watch")}, v1.ReasonDestinationCreateFailed, `cannot patch resource "configmaps"`},
		"none, which it needs": {[]rbacv1.PolicyRule{secrets, configMaps}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := newSecretWorld(t)
			c.searched = c.operatorWith(nil, test.rights...)
			source := c.secret("type: Opaque")
			c.declares(source, "key")
			rule := c.project(source, publish("key"), c.served)
			if test.reason == "" {
				c.Ready(rule)
				c.Exists(publicCopy(), c.Away, "token", fixture.Anything)
			} else {
				assert.Contains(t, c.says(rule, test.reason), test.message)
				assert.Nil(t, c.read(publicCopy(), c.Away, "token"))
			}
			c.requireSilence()
			c.Delete(rule)
			c.Gone(rule)
			assert.Nil(t, c.read(publicCopy(), c.Away, "token"))
		})
	}
}

// TestAuthorOfARuleDoesNotPublishASecret tries what an author of rules can try: the owner of the Secret has consented to copies, and to
// one public key.
func TestAuthorOfARuleDoesNotPublishASecret(t *testing.T) {
	tests := map[string]struct {
		rule    func(*v1.Projection)
		refused string // a key; empty: the API server refuses the rule
	}{
		"another key":                      {publish("key"), "key"},
		"a public one, too":                {publish("ca.crt", "key"), "key"},
		"all keys":                         {publish(), ""},
		"a pattern":                        {publish("k*"), ""},
		"a key that comes later":           {publish("later"), "later"},
		"another key under a public name":  {renamed("key", "ca.crt"), "key"},
		"a key that looks like the public": {publish("ca.crt2"), "ca.crt2"},
	}
	for _, mode := range []string{"allowlist", "permissive"} {
		t.Run(mode, func(t *testing.T) {
			c := newSecretWorld(t)
			c.searched = c.operatorWith([]string{"--source-mode=" + mode}, right("", "secrets configmaps", copying))
			source := c.secret("type: Opaque")
			c.declares(source, "ca.crt")
			for name, test := range tests {
				rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: c.Away, GenerateName: "rule-"}, Spec: v1.ProjectionSpec{Source: fixture.RefTo(source)}}
				test.rule(rule)
				c.served(rule)
				err := c.Client.Create(t.Context(), rule)
				if test.refused == "" {
					require.ErrorContains(t, err, "list every key to copy in content.data.include, without *", name)
					continue
				}
				require.NoError(t, err)
				assert.Contains(t, c.says(rule, v1.ReasonSourceNotProjectable), "does not declare the key "+test.refused+" public", name)
				c.Delete(rule)
				c.Gone(rule)
			}
			assert.Nil(t, c.read(publicCopy(), c.Away, "token"))
			c.requireSilence()
		})
	}
}

func renamed(from, to string) func(*v1.Projection) {
	return func(rule *v1.Projection) {
		publish(from)(rule)
		rule.Spec.Content.Data.Rename = []v1.KeyRename{{From: from, To: to}}
	}
}

// TestWatchesOnTheKindsOfACopiedSecret has an operator with one rule. It watches the kind of the source, that of the copies, and the objects
// in the way of these for as long as there are some.
func TestWatchesOnTheKindsOfACopiedSecret(t *testing.T) {
	c := newSecretWorld(t)
	c.searched = c.operatorWith(nil, right("", "secrets configmaps", copying))
	foreign := c.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: token, namespace: $AWAY}}`)
	source := c.secret("type: Opaque")
	c.declares(source, "key")
	watches := func(sources, copies string) {
		t.Helper()
		require.Eventually(t, func() bool {
			measured, err := c.searched.Metrics(t.Context())
			return err == nil && strings.Contains(measured, "\nprojection_watched_gvks "+sources+"\n") && strings.Contains(measured, "\nprojection_watched_dest_gvks "+copies+"\n")
		}, env.Timeout, env.Interval, "%s and %s", sources, copies)
	}
	watches("0", "0")
	rule := c.project(source, publish("key"), c.served)
	c.says(rule, v1.ReasonDestinationConflict)
	watches("2", "1")
	c.Delete(foreign)
	c.Ready(rule)
	watches("1", "1")
	c.Delete(rule)
	c.Gone(rule)
	watches("0", "1") // that on copies stays for a while, for copies that are written late
}
