package fleet

import (
	"fmt"
	"net/url"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// maxKubeconfig is how many bytes a kubeconfig may have.
const maxKubeconfig = 256 << 10

// The words of what may be in a kubeconfig, for advice.
const (
	useData    = "put a token or a client certificate with its key into it, as data"
	useToken   = "put the token itself into it"
	useContent = "put the content of the file into it"
)

// ParseKubeconfig returns the access that a context of a kubeconfig describes; empty: its current-context. What the other contexts
// describe does not matter. A kubeconfig that would make the operator run a program, read a file, send a password, or trust a server
// that it has not checked, is an AccessError.
func ParseKubeconfig(content []byte, contextName string) (Access, error) {
	if len(content) > maxKubeconfig {
		return Access{}, refused("the kubeconfig is larger than 256 KiB", "keep the one context in it that is used")
	}
	config, err := clientcmd.Load(content)
	if err != nil { // its text may quote a token
		return Access{}, invalid("this is no kubeconfig", "put the content of a kubeconfig there, as kubectl reads it")
	}
	cluster, user, err := choose(config, contextName)
	if err != nil {
		return Access{}, err
	}
	if err := checkCluster(cluster); err != nil {
		return Access{}, err
	}
	if err := checkUser(user); err != nil {
		return Access{}, err
	}
	access := Access{
		ServerName: cluster.TLSServerName, Authorities: cluster.CertificateAuthorityData,
		Certificate: user.ClientCertificateData, Key: user.ClientKeyData, Token: user.Token,
	}
	if access.Server, err = parseServer(cluster.Server); err != nil {
		return Access{}, err
	}
	if access.Proxy, err = parseProxy(cluster.ProxyURL); err != nil {
		return Access{}, err
	}
	if _, err := access.tlsConfig(); err != nil {
		return Access{}, err
	}
	return access, nil
}

// choose returns the cluster and the user of the context.
func choose(config *clientcmdapi.Config, name string) (*clientcmdapi.Cluster, *clientcmdapi.AuthInfo, error) {
	named := fmt.Sprintf("the context %q", name)
	if name == "" {
		name, named = config.CurrentContext, "its current-context"
	}
	if name == "" {
		return nil, nil, invalid("the kubeconfig has no current-context", "set access.kubeconfig.context to the context that is to be used")
	}
	chosen := config.Contexts[name]
	if chosen == nil {
		return nil, nil, invalid("the kubeconfig does not contain "+named, "correct access.kubeconfig.context, or the kubeconfig")
	}
	cluster, user := config.Clusters[chosen.Cluster], config.AuthInfos[chosen.AuthInfo]
	if cluster == nil || user == nil {
		return nil, nil, invalid("the kubeconfig lacks the cluster or the user of "+named, "put both into the kubeconfig")
	}
	return cluster, user, nil
}

// rule is something that a kubeconfig must not have.
type rule struct {
	broken          bool
	message, advice string
}

// first returns the error of the first rule that is broken.
func first(rules []rule) error {
	for _, rule := range rules {
		if rule.broken {
			return refused(rule.message, rule.advice)
		}
	}
	return nil
}

func checkCluster(cluster *clientcmdapi.Cluster) error {
	return first([]rule{
		{
			cluster.InsecureSkipTLSVerify, "the kubeconfig has insecure-skip-tls-verify: any server that answers would get the credentials",
			"remove it, and put the certificate of the cluster's authority into certificate-authority-data",
		},
		{cluster.CertificateAuthority != "", "the kubeconfig names a file in certificate-authority", useContent + ", in certificate-authority-data"},
	})
}

func checkUser(user *clientcmdapi.AuthInfo) error {
	impersonates := user.Impersonate != "" || user.ImpersonateUID != "" || len(user.ImpersonateGroups)+len(user.ImpersonateUserExtra) > 0
	if err := first([]rule{
		{user.Exec != nil, "the kubeconfig runs a program (exec)", useData},
		{user.AuthProvider != nil, "the kubeconfig names an auth-provider", useData},
		{user.TokenFile != "", "the kubeconfig names a file in tokenFile", useToken},
		{user.ClientCertificate != "", "the kubeconfig names a file in client-certificate", useContent + ", in client-certificate-data"},
		{user.ClientKey != "", "the kubeconfig names a file in client-key", useContent + ", in client-key-data"},
		{user.Username != "" || user.Password != "", "the kubeconfig has a username or a password", useData},
		{impersonates, "the kubeconfig impersonates a user (as, as-uid, as-groups, as-user-extra)", "remove that, and set impersonate of the RemoteCluster"},
	}); err != nil {
		return err
	}
	if user.Token == "" && len(user.ClientCertificateData)+len(user.ClientKeyData) == 0 {
		return invalid("the kubeconfig has neither a token nor a client certificate", useData)
	}
	if strings.ContainsFunc(user.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return invalid("the token of the kubeconfig has a space, a line break or another character that no token has", useToken+" as it was issued")
	}
	return nil
}

func parseServer(text string) (*url.URL, error) {
	const advice = "write it like https://eu-1.example.com:6443"
	server, err := url.Parse(text)
	switch {
	case text == "":
		return nil, invalid("the kubeconfig names no server", advice)
	case err != nil || server.Hostname() == "" || server.RawQuery != "" || server.Fragment != "":
		return nil, invalid("the server of the kubeconfig is no URL of an API server", advice)
	case server.User != nil:
		return nil, refused("the server of the kubeconfig has a password in its URL", "remove it, and "+useData)
	case server.Scheme != "https":
		return nil, refused("the server of the kubeconfig is not reached by https: others could read the credentials", advice)
	default:
		return server, nil
	}
}

func parseProxy(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	const advice = "write it like http://proxy.example.com:3128, or remove it"
	proxy, err := url.Parse(text)
	switch {
	case err != nil || proxy.Hostname() == "":
		return nil, invalid("the proxy-url of the kubeconfig is no URL", advice)
	case proxy.Scheme != "http": // the certificates of the access are not those of a proxy
		return nil, refused("the proxy-url of the kubeconfig is not that of an HTTP proxy", advice)
	default:
		return proxy, nil
	}
}
