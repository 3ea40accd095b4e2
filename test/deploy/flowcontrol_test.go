package deploy_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/test/env"
)

// The API server says in each response which FlowSchema the request had.
func TestRequestsOfTheOperatorHaveTheirOwnPriority(t *testing.T) {
	install(t, "flowControl: {enabled: true}")
	config, err := cluster.ServiceAccountConfig(t.Context(), namespace, release)
	require.NoError(t, err)
	var schema string
	operator := kubernetes.NewForConfigOrDie(env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err == nil {
			schema = response.Header.Get(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID)
		}
		return response, err
	}))
	schemas := kubernetes.NewForConfigOrDie(cluster.Config).FlowcontrolV1().FlowSchemas()
	for name, ask := range map[string]func() error{
		release: func() error {
			_, err := operator.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
			return err
		},
		release + "-leader-election": func() error {
			_, err := operator.CoordinationV1().Leases(namespace).Get(t.Context(), "projection.sh", metav1.GetOptions{})
			return err
		},
	} {
		wanted, err := schemas.Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			_ = ask() // whatever the answer is
			return schema == string(wanted.UID)
		}, env.Timeout, env.Interval, name)
		for _, condition := range wanted.Status.Conditions {
			assert.NotEqual(t, flowcontrolv1.ConditionTrue, condition.Status, condition.Message) // Dangling
		}
	}
}
