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
	"projection.sh/operator/components/source"
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
		"a ConfigMap":                    {wish{spec: &owner.Spec{}}, false},
		"of a Secret":                    {wish{spec: &owner.Spec{Source: v1.SourceRef{Kind: "Secret"}}}, true},
		"a copy that was made of one":    {wish{spec: &owner.Spec{}, found: place{source: "Secret/platform/ca"}}, true},
		"a copy with one as a layer":     {wish{spec: &owner.Spec{}, found: place{hasSecretLayer: true}}, true},
		"a copy that was made of others": {wish{spec: &owner.Spec{}, found: place{source: "ConfigMap/platform/ca"}}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.secret, test.wished.isSecret()) })
	}
}

func TestWhichCopiesAreRecreated(t *testing.T) {
	recreate := owner.Spec{Policy: v1.Policy{OnImmutable: v1.ImmutableRecreate}}
	of := func(kind string, spec owner.Spec, found place) wish {
		return wish{kind: source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: kind}}, spec: &spec, found: found}
	}
	tests := map[string]struct {
		wished    wish
		recreated bool
	}{
		"a Secret":                            {of("Secret", owner.Spec{}, place{isOwned: true, sourceUID: "now"}), false},
		"a Secret of a replaced source":       {of("Secret", owner.Spec{}, place{isOwned: true, sourceUID: "before"}), true},
		"a Service of a replaced source":      {of("Service", owner.Spec{}, place{isOwned: true, sourceUID: "before"}), false},
		"as the rule says":                    {of("Service", recreate, place{isOwned: true}), true},
		"an object that is adopted":           {of("Service", recreate, place{}), false},
		"a claim, which loses what it stores": {of("PersistentVolumeClaim", recreate, place{isOwned: true}), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.recreated, test.wished.isRecreated("now")) })
	}
}
