package remotecluster

import (
	"os"
	"strings"

	"k8s.io/client-go/rest"

	"projection.sh/operator/components/fleet"
)

// AccessOf returns how the cluster of a configuration is reached, such as that of a pod. It reads the files that the configuration names. A
// configuration with something that a kubeconfig must not have, such as a program, is an AccessError.
func AccessOf(config *rest.Config) (fleet.Access, error) {
	config = rest.CopyConfig(config)
	if config.Insecure || config.ExecProvider != nil || config.AuthProvider != nil || config.Username != "" || config.Password != "" {
		return fleet.Access{}, &fleet.AccessError{
			Message: "the configuration of the operator runs a program, has a password, or does not check certificates", Advice: "use a service account", Refused: true,
		}
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return fleet.Access{}, err
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return fleet.Access{}, err
	}
	access := fleet.Access{
		Server: server, ServerName: config.ServerName, Authorities: config.CAData, Certificate: config.CertData, Key: config.KeyData, Token: config.BearerToken,
	}
	if config.BearerTokenFile != "" {
		token, err := os.ReadFile(config.BearerTokenFile)
		if err != nil {
			return fleet.Access{}, err
		}
		access.Token = strings.TrimSpace(string(token))
	}
	return access, nil
}
