package env

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ServiceAccountUser is the name under which a service account is known to RBAC and to the audit log.
func ServiceAccountUser(namespace, name string) string {
	return "system:serviceaccount:" + namespace + ":" + name
}

// ServiceAccountConfig returns a configuration that uses a token of the service account, as its pods do, without
// client-side throttling.
func (e *Environment) ServiceAccountConfig(ctx context.Context, namespace, name string) (*rest.Config, error) {
	client, err := kubernetes.NewForConfig(e.Config)
	if err != nil {
		return nil, err
	}
	request, err := client.CoreV1().ServiceAccounts(namespace).
		CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("issue a token for %s/%s: %w", namespace, name, err)
	}
	config := rest.AnonymousClientConfig(e.Config)
	config.BearerToken, config.QPS = request.Status.Token, -1
	return config, nil
}
