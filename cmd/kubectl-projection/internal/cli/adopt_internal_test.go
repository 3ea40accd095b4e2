package cli

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

func TestRefusedAdoptionQuotesNoValueOfASecret(t *testing.T) {
	secrets := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	ofSecret := access.Rule{Spec: owner.Spec{Source: v1.SourceRef{Kind: "Secret"}}}
	ofConfigMap := access.Rule{Spec: owner.Spec{Source: v1.SourceRef{Kind: "ConfigMap"}}}
	quotes := apierrors.NewForbidden(secrets.GroupResource(), "ca", errors.New(`the value "hunter2" is too short`))

	assert.NotContains(t, notApplied(ofSecret, named{resource: configMaps}, quotes).Error(), "hunter2", "a Secret is copied")
	assert.NotContains(t, notApplied(ofConfigMap, named{resource: secrets}, quotes).Error(), "hunter2", "a Secret is adopted")
	require.ErrorContains(t, notApplied(ofConfigMap, named{resource: configMaps}, quotes), "hunter2")
	require.NoError(t, notApplied(ofSecret, named{resource: secrets}, nil))
	conflict := apierrors.NewConflict(configMaps.GroupResource(), "x", errors.New("modified"))
	require.EqualError(t, notApplied(ofConfigMap, named{resource: configMaps}, conflict), "somebody has changed the object in between: run the command again")
}
