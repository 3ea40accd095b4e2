package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/policy"
)

func TestArePublic(t *testing.T) {
	for name, test := range map[string]struct {
		keys, public string
		published    bool
	}{
		"all":                            {"a,b", "c, b ,a", true},
		"one is missing":                 {"a,b", "a", false},
		"none is declared":               {"a", "", false},
		"a copy that names no key":       {"", "a", false},
		"and an owner who declares none": {"", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.published, policy.ArePublic(test.keys, policy.PublicKeys(map[string]string{v1.AnnotationPublicKeys: test.public})))
		})
	}
}
