package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestConsumerLearnsNoNameOfACluster has clusters whose names begin alike.
func TestConsumerLearnsNoNameOfACluster(t *testing.T) {
	p := &pass{view: view{service: &side{name: "eu-1"}}, at: &side{name: "eu-10"}}
	for message, told := range map[string]string{
		"the cluster eu-1 cannot be reached":                    "the cluster of the service cannot be reached",
		"the cluster eu-10 cannot be reached":                   "this cluster cannot be reached",
		"it is in the cluster eu-1. It is in eu-1x":             "it is in the cluster of the service. It is in eu-1x",
		"the cluster eu-1":                                      "the cluster of the service",
		"the cluster eu-1.":                                     "the cluster of the service.",
		"the RemoteCluster eu-10 does not list it":              "this cluster does not list it",
		"the cluster eu-1.example, the cluster eu-1, and so on": "the cluster eu-1.example, the cluster of the service, and so on",
	} {
		assert.Equal(t, told, p.forConsumer(message))
	}
	p = &pass{at: &side{}}
	assert.Equal(t, "the cluster, this cluster", p.forConsumer("the cluster, this cluster"))
}
