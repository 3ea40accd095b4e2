package remotecluster

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
)

// kubeconfigWith returns a kubeconfig whose cluster and user have these fields.
func kubeconfigWith(cluster, user string) string {
	return `{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: c}}],
clusters: [{name: c, cluster: {` + cluster + `}}], users: [{name: c, user: {` + user + `}}]}`
}

// TestSecretsThatCannotBeUsed has a canary in every Secret, which no message may quote.
func TestSecretsThatCannotBeUsed(t *testing.T) {
	const (
		server = "server: https://eu-1.example.com"
		token  = "token: " + canary
		prefix = "Secret ops/eu-1, key kubeconfig: "
	)
	tests := map[string]struct {
		key, content    string
		reason, message string
	}{
		"no such key": {"config", "", v1alpha1.ReasonSecretNotFound, "Secret ops/eu-1 has no key config"},
		"no key":      {"", "", v1alpha1.ReasonSecretNotFound, "Secret ops/eu-1 has neither the key kubeconfig nor the key value"},
		"no kubeconfig": {
			"", `{token: "` + canary, v1alpha1.ReasonKubeconfigInvalid, prefix + "this is no kubeconfig",
		},
		"no credentials": {
			"", kubeconfigWith(server, ""), v1alpha1.ReasonKubeconfigInvalid, prefix + "the kubeconfig has neither a token nor a client certificate",
		},
		"bad token": {
			"", kubeconfigWith(server, `token: "`+canary+` b"`), v1alpha1.ReasonKubeconfigInvalid,
			prefix + "the token of the kubeconfig has a space, a line break or another character that no token has",
		},
		"no server": {"", kubeconfigWith("", token), v1alpha1.ReasonKubeconfigInvalid, prefix + "the kubeconfig names no server"},
		"bad certificate": {
			"", kubeconfigWith(server, "client-certificate-data: Y2FuYXJ5, client-key-data: Y2FuYXJ5"), v1alpha1.ReasonKubeconfigInvalid,
			prefix + "client-certificate-data and client-key-data are no certificate with its key, in PEM",
		},
		"bad authority": {
			"", kubeconfigWith(server+", certificate-authority-data: Y2FuYXJ5", token), v1alpha1.ReasonKubeconfigInvalid,
			prefix + "certificate-authority-data has no certificate in PEM",
		},
		"too large": {"", strings.Repeat(" ", 300<<10), v1alpha1.ReasonKubeconfigRefused, prefix + "the kubeconfig is larger than 256 KiB"},
		"unchecked": {
			"", kubeconfigWith(server+", insecure-skip-tls-verify: true", token), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the kubeconfig has insecure-skip-tls-verify: any server that answers would get the credentials",
		},
		"authority in a file": {
			"", kubeconfigWith(server+", certificate-authority: /"+canary, token), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the kubeconfig names a file in certificate-authority",
		},
		"without TLS": {
			"", kubeconfigWith("server: http://eu-1.example.com", token), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the server of the kubeconfig is not reached by https: others could read the credentials",
		},
		"password in the URL": {
			"", kubeconfigWith("server: https://a:"+canary+"@eu-1.example.com", token), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the server of the kubeconfig has a password in its URL",
		},
		"proxy": {
			"", kubeconfigWith(server+", proxy-url: socks5://a:"+canary+"@b", token), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the proxy-url of the kubeconfig is not that of an HTTP proxy",
		},
		"program": {
			"", kubeconfigWith(server, "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "+canary+"}"),
			v1alpha1.ReasonKubeconfigRefused, prefix + "the kubeconfig runs a program (exec)",
		},
		"provider": {
			"", kubeconfigWith(server, "auth-provider: {name: "+canary+"}"), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the kubeconfig names an auth-provider",
		},
		"token in a file": {
			"", kubeconfigWith(server, "tokenFile: /"+canary), v1alpha1.ReasonKubeconfigRefused, prefix + "the kubeconfig names a file in tokenFile",
		},
		"password": {
			"", kubeconfigWith(server, "username: a, password: "+canary), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the kubeconfig has a username or a password",
		},
		"impersonation": {
			"", kubeconfigWith(server, token+", as: "+canary), v1alpha1.ReasonKubeconfigRefused,
			prefix + "the kubeconfig impersonates a user (as, as-uid, as-groups, as-user-extra)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "eu-1"}, Data: map[string][]byte{"other": []byte(canary)}}
			if test.content != "" {
				secret.Data["kubeconfig"] = []byte(test.content)
			}
			_, problem := parse(secret, v1alpha1.KubeconfigAccess{Secret: "eu-1", Key: test.key})
			if assert.NotNil(t, problem) {
				assert.Equal(t, test.reason, problem.reason)
				assert.Equal(t, test.message, problem.message)
				assert.NotEmpty(t, problem.advice)
				assert.NotContains(t, problem.message+problem.advice, "canary")
			}
		})
	}
}

func TestKeysOfASecret(t *testing.T) {
	a, b := kubeconfigWith("server: https://a", "token: t"), kubeconfigWith("server: https://b", "token: t")
	tests := map[string]struct {
		data map[string]string
		key  string
		want string
	}{
		"ours":                {map[string]string{"kubeconfig": a, "value": b}, "", "https://a"},
		"that of Cluster API": {map[string]string{"value": b}, "", "https://b"},
		"another":             {map[string]string{"kubeconfig": a, "b": b}, "b", "https://b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{Data: map[string][]byte{}}
			for key, content := range test.data {
				secret.Data[key] = []byte(content)
			}
			access, problem := parse(secret, v1alpha1.KubeconfigAccess{Key: test.key})
			assert.Nil(t, problem)
			assert.Equal(t, test.want, access.String())
		})
	}
}
