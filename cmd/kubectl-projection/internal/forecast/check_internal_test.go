package forecast

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
)

func TestPolicyThatLetsOnlyTheOperatorWriteSaysNothingOfTheWrite(t *testing.T) {
	denied := func(policy string) error {
		cause := errors.New("ValidatingAdmissionPolicy '" + policy + "' with binding '" + policy + "' denied request: no")
		return apierr.RedactSecret(apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "x", cause))
	}
	assert.True(t, isOfOperator(denied("ownership.projection.sh")))
	assert.True(t, isOfOperator(denied("copies.projection.sh")))
	assert.False(t, isOfOperator(denied("ownership.example.com")))
	assert.False(t, isOfOperator(errors.New("ownership.projection.sh")))
}

func TestWhatMayHoldASecretIsMasked(t *testing.T) {
	tests := map[string]struct {
		wished wish
		secret bool
	}{
		"a ConfigMap":                    {},
		"of a Secret":                    {wish{spec: owner.Spec{Source: v1.SourceRef{Kind: "Secret"}}}, true},
		"a copy that was made of one":    {wish{found: place{source: "Secret/platform/ca"}}, true},
		"a copy with one as a layer":     {wish{found: place{hasSecretLayer: true}}, true},
		"a copy that was made of others": {wish{found: place{source: "ConfigMap/platform/ca"}}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.secret, test.wished.isSecret()) })
	}
}
