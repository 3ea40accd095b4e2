package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

// consent is what the annotation of a source says; absent and present without a value are different.
type consent struct {
	name, value string
	absent      bool
}

var consents = []consent{
	{name: "nothing", absent: true},
	{name: "true", value: "true"},
	{name: "false", value: "false"},
	{name: "empty", value: ""},
	{name: "True", value: "True"},
	{name: "yes", value: "yes"},
	{name: "some namespaces", value: "namespaces: team=shop"},
	{name: "no selector", value: "namespaces: team in"},
	{name: "no selector, by a typing error", value: "namespace: team=shop"},
}

func object(apiVersion, kind, secretType string, says consent) *unstructured.Unstructured {
	source := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	source.SetNamespace("home")
	source.SetName("it")
	if secretType != "" {
		source.Object["type"] = secretType
	}
	if !says.absent {
		source.SetAnnotations(map[string]string{v1.AnnotationProjectable: says.value})
	}
	return source
}

// things are sources, and whether they are credentials.
var things = map[string]struct {
	apiVersion, kind, secretType string
	credential                   bool
}{
	"a service account token":       {"v1", "Secret", "kubernetes.io/service-account-token", true},
	"a bootstrap token":             {"v1", "Secret", "bootstrap.kubernetes.io/token", true},
	"an opaque Secret":              {"v1", "Secret", "Opaque", false},
	"a Secret without a type":       {"v1", "Secret", "", false},
	"a pull secret":                 {"v1", "Secret", "kubernetes.io/dockerconfigjson", false},
	"a certificate":                 {"v1", "Secret", "kubernetes.io/tls", false},
	"a type that only begins so":    {"v1", "Secret", "kubernetes.io/service-account-token-request", false},
	"a ConfigMap with such a field": {"v1", "ConfigMap", "kubernetes.io/service-account-token", false},
	"a Secret of another group":     {"example.com/v1", "Secret", "kubernetes.io/service-account-token", false},
}

func TestProblemsOfSources(t *testing.T) {
	for name, thing := range things {
		for _, says := range consents {
			for _, mode := range []policy.Mode{policy.Allowlist, policy.Permissive} {
				t.Run(name+"/"+says.name+"/"+string(mode), func(t *testing.T) {
					verdict := mode.CheckSource(object(thing.apiVersion, thing.kind, thing.secretType, says))
					want := ""
					switch {
					case says.value == "false":
						want = v1.ReasonSourceOptedOut
					case thing.credential, strings.HasPrefix(says.name, "no selector"):
						want = v1.ReasonSourceNotProjectable
					case mode == policy.Allowlist && says.value != "true" && says.name != "some namespaces":
						want = v1.ReasonSourceNotProjectable
					}
					assert.Equal(t, want, verdict.Reason)
					assert.Equal(t, want == "", verdict.IsZero())
					assert.Equal(t, want == "", verdict.Message == "", "a refusal has a sentence, and nothing else has")
				})
			}
		}
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	says := func(value string) consent { return consent{value: value} }
	tests := map[string]struct {
		source   *unstructured.Unstructured
		sentence string
	}{
		"a veto": {
			object("v1", "ConfigMap", "", says("false")),
			`the owner of ConfigMap home/it has opted out by the annotation projection.sh/projectable: "false"; ask the owner, or delete this rule`,
		},
		"no consent": {
			object("v1", "ConfigMap", "", consent{absent: true}),
			`the owner of ConfigMap home/it has not opted in; the owner has to set the annotation projection.sh/projectable: "true"`,
		},
		"a slip of the pen": {
			object("v1", "ConfigMap", "", says("yes")),
			`the annotation projection.sh/projectable of ConfigMap home/it is neither "true" nor "namespaces: <label selector>"; its owner has to correct it`,
		},
		"no selector": {
			object("v1", "ConfigMap", "", says("namespaces: team in shop")),
			`the annotation projection.sh/projectable of ConfigMap home/it has no valid label selector after "namespaces:"; its owner has to correct it ` +
				`(found 'shop' expected: '(')`,
		},
		"a credential": {
			object("v1", "Secret", "bootstrap.kubernetes.io/token", says("true")),
			`Secret home/it is of type bootstrap.kubernetes.io/token, a credential of its namespace, and is never copied; choose another source`,
		},
		"a token": {
			object("v1", "Secret", "kubernetes.io/service-account-token", says("true")),
			`Secret home/it is of type kubernetes.io/service-account-token, a credential of its namespace, and is never copied; ` +
				`create a ServiceAccount in the target namespace instead`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.sentence, policy.Allowlist.CheckSource(test.source).Sentence())
		})
	}
}

func TestCheckOfASourceChangesNothing(t *testing.T) {
	source := object("v1", "Secret", "Opaque", consent{value: "true"})
	before := source.DeepCopy()
	policy.Allowlist.CheckSource(source)
	assert.Equal(t, before, source)
}

func TestSentenceOfAProblem(t *testing.T) {
	for want, problem := range map[string]policy.Problem{
		"":                        {},
		"it fails":                {Message: "it fails"},
		"it fails (boom)":         {Message: "it fails", Cause: "boom"},
		"it fails; retry (boom)":  {Message: "it fails", Advice: "retry", Cause: "boom"},
		"it fails; kept; retry":   {Message: "it fails", Copies: "kept", Advice: "retry"},
		"it fails; kept (a; b 1)": {Message: "it fails", Copies: "kept", Cause: "a; b 1"},
	} {
		assert.Equal(t, want, problem.Sentence())
	}
}
