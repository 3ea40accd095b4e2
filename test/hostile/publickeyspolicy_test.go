package hostile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env/fixture"
)

// TestKeyIsDeclaredPublicByWhoeverMayConsent has a tenant, who may write Secrets, try to publish one that its owner has opted in.
func TestKeyIsDeclaredPublicByWhoeverMayConsent(t *testing.T) {
	w := newWorld(t)
	tenant := w.tenant()
	w.mayIn(w.Home, "writing", right("", "secrets", "get create update patch"))
	writing := fixture.Client(t, w.account("writing"))
	public := func(keys string) string {
		return `{"metadata":{"annotations":{"projection.sh/public-keys":` + keys + `}}}`
	}
	source := w.Create(`{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: $HOME,
		annotations: {projection.sh/projectable: "true", projection.sh/public-keys: "a,b"}}, stringData: {a: "1", b: "2", key: "3"}}`)
	requireDenied(t, func() error {
		return writing.Patch(t.Context(), source.DeepCopy(), rawMerge(public(`"a, b,key"`)), client.DryRunAll)
	},
		`you need the verb "consent" on secrets in the namespace `+w.Home)
	for name, patch := range map[string]string{
		"another instead":                  public(`"a,key"`),
		"and opt it out":                   `{"metadata":{"annotations":{"projection.sh/projectable":"false","projection.sh/public-keys":"key"}}}`,
		"a key whose name begins as a's":   public(`"ab"`),
		"a key that is called as a and b":  public(`"a;b"`),
		"of a Secret that is not opted in": `{"metadata":{"annotations":{"projection.sh/projectable":null,"projection.sh/public-keys":"a,b,c"}}}`,
	} {
		err := writing.Patch(t.Context(), source.DeepCopy(), rawMerge(patch), client.DryRunAll)
		require.ErrorContains(t, err, "or to add keys to projection.sh/public-keys", name)
	}
	for name, patch := range map[string]string{
		"other content":            `{"stringData":{"a":"4"}}`,
		"the same, written apart":  public(`" b ,a,"`),
		"fewer":                    public(`"b"`),
		"none":                     public(`null`),
		"none, by an empty list":   public(`""`),
		"opted out, and the same":  `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`,
		"opted out, with no reply": `{"metadata":{"annotations":null}}`,
	} {
		require.NoError(t, writing.Patch(t.Context(), source.DeepCopy(), rawMerge(patch), client.DryRunAll), name)
	}
	requireDenied(t, creating(tenant, w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: public, namespace: $HOME, annotations: {projection.sh/public-keys: a}}}`)),
		`you need the verb "consent"`)

	w.mayIn(w.Away, "consenting", right("", "secrets", "create patch consent"))
	consenting := fixture.Client(t, w.account("consenting"))
	require.NoError(t, consenting.Create(t.Context(), w.Object(`{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: $AWAY,
		annotations: {projection.sh/public-keys: key}}}`)))
}

// TestLongListsOfPublicKeys has lists that cost the policy more than usual, and more than the API server allows. In these, the key that is
// not declared comes last.
func TestLongListsOfPublicKeys(t *testing.T) {
	w := newWorld(t)
	w.tenant()
	w.mayIn(w.Home, "writing", right("", "secrets", "get create update patch"))
	writing := fixture.Client(t, w.account("writing"))
	for name, test := range map[string]struct {
		keys          int
		removes, adds string // what the API server says; empty: nothing
	}{
		"as many as somebody may need": {300, "", "or to add keys to projection.sh/public-keys"},
		"more than can be compared":    {20_000, "running out of cost budget", "running out of cost budget"},
	} {
		var keys []string
		for i := range test.keys {
			keys = append(keys, fmt.Sprintf("k%d", i))
		}
		source := w.Create(`{apiVersion: v1, kind: Secret, metadata: {generateName: long-, namespace: $HOME,
			annotations: {projection.sh/projectable: "true", projection.sh/public-keys: "` + strings.Join(keys, ",") + `"}}}`)
		patch := func(list string) error {
			return writing.Patch(t.Context(), source.DeepCopy(), rawMerge(`{"metadata":{"annotations":{"projection.sh/public-keys":`+list+`}}}`), client.DryRunAll)
		}
		says := func(err error, said string) {
			t.Helper()
			if said == "" {
				require.NoError(t, err, name)
				return
			}
			require.ErrorContains(t, err, said, name)
		}
		requireDenied(t, func() error { return patch(`"key"`) }, "or to add keys to projection.sh/public-keys")
		says(patch(`"`+strings.Join(keys[1:], ",")+`"`), test.removes)
		says(patch(`"`+strings.Join(append(keys, "key"), ",")+`"`), test.adds)
		says(patch("null"), "")
		says(patch(`""`), "")
		says(writing.Patch(t.Context(), source.DeepCopy(), rawMerge(`{"metadata":{"labels":{"a":"b"}}}`), client.DryRunAll), "")
	}
}
