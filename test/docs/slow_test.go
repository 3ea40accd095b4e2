package docs_test

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"time"

	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// slowCopy is the name of one of several copies of which it cannot be known which has to wait.
var slowCopy = regexp.MustCompile(`slow-[0-9]+`)

// slowCopies makes more copies beside a webhook that does not answer than may be written to one namespace at a time.
func (l *listener) slowCopies() {
	l.t.Helper()
	l.hangingWebhook()
	for i := range 6 {
		rule := &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-a", Name: fmt.Sprint("slow-", i)},
			Spec: v1.ProjectionSpec{
				Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "app-config"},
				Destination: v1.ProjectionDestination{Name: fmt.Sprint("slow-", i)},
			},
		}
		require.NoError(l.t, l.client.Create(l.t.Context(), rule))
		l.t.Cleanup(func() { require.NoError(l.t, l.client.Delete(context.Background(), rule)) })
	}
}

// hangingWebhook has the API server wait for a program that accepts connections and says nothing.
func (l *listener) hangingWebhook() {
	l.t.Helper()
	var config net.ListenConfig
	silent, err := config.Listen(l.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(l.t, err)
	l.t.Cleanup(func() { require.NoError(l.t, silent.Close()) })
	webhook := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "slow"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "slow.example.com", AdmissionReviewVersions: []string{"v1"}, SideEffects: new(admissionregistrationv1.SideEffectClassNone),
			FailurePolicy: new(admissionregistrationv1.Ignore), TimeoutSeconds: new(int32(2)),
			ClientConfig:    admissionregistrationv1.WebhookClientConfig{URL: new("https://" + silent.Addr().String())},
			MatchConditions: []admissionregistrationv1.MatchCondition{{Name: "slow", Expression: "object != null && object.metadata.name.startsWith('slow-')"}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}
	require.NoError(l.t, l.client.Create(l.t.Context(), webhook))
	l.t.Cleanup(func() { require.NoError(l.t, l.client.Delete(context.Background(), webhook)) })
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-a", Name: "slow-probe"}}
	require.Eventually(l.t, func() bool {
		began := time.Now()
		require.NoError(l.t, l.client.Create(l.t.Context(), probe.DeepCopy(), client.DryRunAll))
		return time.Since(began) > time.Second
	}, timeout, time.Millisecond, "the API server does not know the webhook")
}
