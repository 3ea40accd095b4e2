package app

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

func leaseOf(t *testing.T, selector string) string {
	t.Helper()
	parsed, err := labels.Parse(selector)
	require.NoError(t, err)
	return leaseName(parsed)
}

func TestLeaseOfAnInstallation(t *testing.T) {
	assert.Equal(t, "projection.sh", leaseOf(t, ""))
	for _, same := range []string{" c in (e, d), a==b, f notin (g)", "a in (b),a=b,c in (d,e),f!=g"} {
		assert.Equal(t, leaseOf(t, "a=b,c in (d,e),f!=g"), leaseOf(t, same), "the same rules, the same lease")
	}

	seen := map[string]string{}
	for _, selector := range []string{"", "a=b", "a=c", "a!=b", "a", "!a", "a=b,c=d", "a in (b,c)", "a notin (b,c)", "a in (bc)", "a>1", "a<1"} {
		name := leaseOf(t, selector)
		assert.Empty(t, seen[name], "%q shares a lease", selector)
		assert.Empty(t, validation.IsDNS1123Subdomain(name))
		seen[name] = "with " + selector
	}
}
