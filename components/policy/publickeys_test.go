package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

func TestPublicKeys(t *testing.T) {
	secret, configMap := v1.SourceRef{Kind: "Secret", Namespace: "home", Name: "it"}, v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "it"}
	for name, test := range map[string]struct {
		source  v1.SourceRef
		to      string
		data    v1.DataFilter
		public  string
		refused string
	}{
		"a Secret stays one":            {secret, "", v1.DataFilter{}, "", ""},
		"a ConfigMap becomes a Secret":  {configMap, "Secret", v1.DataFilter{}, "", ""},
		"a ConfigMap stays one":         {configMap, "ConfigMap", v1.DataFilter{}, "", ""},
		"none declared":                 {secret, "ConfigMap", v1.DataFilter{Include: []string{"ca.crt"}}, "", "ca.crt"},
		"the one declared":              {secret, "ConfigMap", v1.DataFilter{Include: []string{"ca.crt"}}, "ca.crt", ""},
		"several declared, with blanks": {secret, "ConfigMap", v1.DataFilter{Include: []string{"ca.crt", "tls.crt"}}, "tls.crt, ca.crt ,x", ""},
		"one of two declared":           {secret, "ConfigMap", v1.DataFilter{Include: []string{"ca.crt", "tls.key"}}, "ca.crt", "tls.key"},
		"one that is excluded":          {secret, "ConfigMap", v1.DataFilter{Include: []string{"ca.crt", "tls.key"}, Exclude: []string{"*.key"}}, "ca.crt", ""},
		"a declared pattern is a key":   {secret, "ConfigMap", v1.DataFilter{Include: []string{"tls.key"}}, "*", "tls.key"},
		"renamed to a public name": {secret, "ConfigMap", v1.DataFilter{
			Include: []string{"tls.key"}, Rename: []v1.KeyRename{{From: "tls.key", To: "ca.crt"}},
		}, "ca.crt", "tls.key"},
	} {
		t.Run(name, func(t *testing.T) {
			problem := policy.CheckPublicKeys(test.source, test.to, test.data, map[string]string{v1.AnnotationPublicKeys: test.public})
			if test.refused == "" {
				assert.Zero(t, problem)
				return
			}
			assert.Equal(t, v1.ReasonSourceNotProjectable, problem.Reason)
			assert.Equal(t, "the owner of Secret home/it does not declare the key "+test.refused+
				" public; the owner has to add it to the annotation projection.sh/public-keys", problem.Sentence())
		})
	}
}
