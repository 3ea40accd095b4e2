package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

func TestPodsHaveTheTimeToEndThatTheManagerTakes(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "config", "manager", "deployment.yaml"))
	require.NoError(t, err)
	var deployment appsv1.Deployment
	require.NoError(t, yaml.UnmarshalStrict(content, &deployment))
	granted := deployment.Spec.Template.Spec.TerminationGracePeriodSeconds
	require.NotNil(t, granted)
	assert.Greater(t, time.Duration(*granted)*time.Second, gracePeriod)
}
