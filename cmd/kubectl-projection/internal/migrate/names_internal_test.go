package migrate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "projection.sh/operator/api/v1"
)

func TestNamesOfRules(t *testing.T) {
	taken := &v1.ClusterProjection{}
	taken.Name = "taken"
	for copied, want := range map[string]string{
		"settings": "settings", "taken": "home-taken", "system:reader": "system-reader", "Reader": "reader", "a..b": "a.b", "a.-b": "a.b", "a-.b": "a.b",
		"-a.": "a", "a--b": "a--b",
	} {
		it := &group{name: copied}
		it.source.Namespace = "home"
		name := newNames([]*v1.ClusterProjection{taken}).next(it)
		assert.Equal(t, want, name, copied)
		assert.Empty(t, validation.IsDNS1123Subdomain(name), copied)
	}
}
