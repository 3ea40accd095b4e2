package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRights(t *testing.T) {
	create(t, "testdata/remoteclusters.yaml")
	golden(t, "rights",
		"rights eu-1",
		"rights eu-2 --service-account=hub-berlin",
		"rights own",
		"rights nothing",
		"rights eu-1 --service-account=Hub",
		"rights eu-1 --as=tenant",
	)
}

// TestRightsThatAreApplied has the API server take what is printed, and asks it what the account may do then.
func TestRightsThatAreApplied(t *testing.T) {
	create(t, "testdata/remoteclusters.yaml")
	for _, args := range [][]string{{"rights", "eu-1"}, {"rights", "eu-2", "--service-account=hub-berlin"}} {
		printed, code := run(t, args...)
		require.Zero(t, code, printed)
		file := filepath.Join(t.TempDir(), "rights.yaml")
		require.NoError(t, os.WriteFile(file, []byte(printed), 0o600))
		kubectl(t, "apply", "-f", file)
	}
	may := func(account string, args ...string) string {
		answer, _ := cluster.Kubectl(t.Context(), append([]string{"auth", "can-i", "--as=system:serviceaccount:" + account}, args...)...)
		return answer
	}
	const one, other = "projection-system:projection-hub", "legacy:hub-berlin"
	for _, account := range []string{one, other} {
		as := "--as=system:serviceaccount:" + account
		assert.Equal(t, "namespace/kube-system\n", kubectl(t, "get", "namespace", "kube-system", "-o", "name", as))
		_, err := cluster.Kubectl(t.Context(), "get", "namespace", "platform", as)
		require.Error(t, err, account)
		assert.Contains(t, may(account, "create", "configmaps", "-n", "platform"), "no", account)
	}
	assert.Equal(t, "yes\n", may(one, "create", "leases.coordination.k8s.io", "-n", "projection-system"))
	assert.Equal(t, "yes\n", may(other, "patch", "leases.coordination.k8s.io", "-n", "legacy"))
	assert.Contains(t, may(other, "patch", "leases.coordination.k8s.io", "-n", "projection-system"), "no")
}
