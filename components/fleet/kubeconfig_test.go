package fleet_test

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"projection.sh/operator/components/fleet"
)

const secret = "s3cr3t-token"

// kubeconfig returns a good one, after the function has changed it.
func kubeconfig(t testing.TB, change func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo)) []byte {
	t.Helper()
	cluster := &clientcmdapi.Cluster{Server: "https://eu-1.example.com:6443"}
	user := &clientcmdapi.AuthInfo{Token: secret}
	change(cluster, user)
	config := clientcmdapi.NewConfig()
	config.Clusters["eu-1"], config.AuthInfos["admin"] = cluster, user
	config.Contexts["admin@eu-1"] = &clientcmdapi.Context{Cluster: "eu-1", AuthInfo: "admin"}
	config.Contexts["half"] = &clientcmdapi.Context{Cluster: "eu-1", AuthInfo: "nobody"}
	config.CurrentContext = "admin@eu-1"
	content, err := clientcmd.Write(*config)
	require.NoError(t, err)
	return content
}

func TestWhatAKubeconfigMustNotHave(t *testing.T) {
	type (
		cluster = *clientcmdapi.Cluster
		user    = *clientcmdapi.AuthInfo
	)
	const (
		credentials  = "put a token or a client certificate with its key into it, as data"
		address      = "write it like https://eu-1.example.com:6443"
		proxy        = "write it like http://proxy.example.com:3128, or remove it"
		impersonates = "the kubeconfig impersonates a user (as, as-uid, as-groups, as-user-extra)"
		elsewhere    = "remove that, and set impersonate of the RemoteCluster"
		basic        = "the kubeconfig has a username or a password"
		noServer     = "the server of the kubeconfig is no URL of an API server"
		badToken     = "the token of the kubeconfig has a space, a line break or another character that no token has"
		badPair      = "client-certificate-data and client-key-data are no certificate with its key, in PEM"
		asIssued     = "put both there as they were issued"
	)
	tests := map[string]struct {
		change          func(cluster, user)
		message, advice string
		refused         bool
	}{
		"exec": {func(_ cluster, u user) {
			u.Exec = &clientcmdapi.ExecConfig{Command: "aws", APIVersion: "client.authentication.k8s.io/v1"}
		}, "the kubeconfig runs a program (exec)", credentials, true},
		"auth-provider": {func(_ cluster, u user) { u.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: "oidc"} }, "the kubeconfig names an auth-provider", credentials, true},
		"tokenFile":     {func(_ cluster, u user) { u.TokenFile = "/var/run/token" }, "the kubeconfig names a file in tokenFile", "put the token itself into it", true},
		"client-certificate": {
			func(_ cluster, u user) { u.ClientCertificate = "/tls.crt" },
			"the kubeconfig names a file in client-certificate", "put the content of the file into it, in client-certificate-data", true,
		},
		"client-key": {
			func(_ cluster, u user) { u.ClientKey = "/tls.key" },
			"the kubeconfig names a file in client-key", "put the content of the file into it, in client-key-data", true,
		},
		"certificate-authority": {
			func(c cluster, _ user) { c.CertificateAuthority = "/ca.crt" },
			"the kubeconfig names a file in certificate-authority", "put the content of the file into it, in certificate-authority-data", true,
		},
		"username": {func(_ cluster, u user) { u.Username = "admin" }, basic, credentials, true},
		"password": {func(_ cluster, u user) { u.Password = "admin" }, basic, credentials, true},
		"insecure-skip-tls-verify": {
			func(c cluster, _ user) { c.InsecureSkipTLSVerify = true },
			"the kubeconfig has insecure-skip-tls-verify: any server that answers would get the credentials",
			"remove it, and put the certificate of the cluster's authority into certificate-authority-data", true,
		},
		"http":          {func(c cluster, _ user) { c.Server = "http://eu-1.example.com" }, "the server of the kubeconfig is not reached by https: others could read the credentials", address, true},
		"as":            {func(_ cluster, u user) { u.Impersonate = "root" }, impersonates, elsewhere, true},
		"as-uid":        {func(_ cluster, u user) { u.ImpersonateUID = "1" }, impersonates, elsewhere, true},
		"as-groups":     {func(_ cluster, u user) { u.ImpersonateGroups = []string{"system:masters"} }, impersonates, elsewhere, true},
		"as-user-extra": {func(_ cluster, u user) { u.ImpersonateUserExtra = map[string][]string{"a": {"b"}} }, impersonates, elsewhere, true},
		"256 KiB":       {func(_ cluster, u user) { u.Token = strings.Repeat("t", 256<<10) }, "the kubeconfig is larger than 256 KiB", "keep the one context in it that is used", true},
		"password in the URL": {
			func(c cluster, _ user) { c.Server = "https://admin:" + secret + "@eu-1.example.com" },
			"the server of the kubeconfig has a password in its URL", "remove it, and " + credentials, true,
		},
		"proxy of another kind": {func(c cluster, _ user) { c.ProxyURL = "socks5://proxy:1080" }, "the proxy-url of the kubeconfig is not that of an HTTP proxy", proxy, true},

		"https proxy": {func(c cluster, _ user) { c.ProxyURL = "https://proxy:3128" }, "the proxy-url of the kubeconfig is not that of an HTTP proxy", proxy, true},

		"server without a host":   {func(c cluster, _ user) { c.Server = "https://:6443" }, noServer, address, false},
		"no server":               {func(c cluster, _ user) { c.Server = "" }, "the kubeconfig names no server", address, false},
		"server without a scheme": {func(c cluster, _ user) { c.Server = "eu-1.example.com:6443" }, noServer, address, false},
		"server with a query":     {func(c cluster, _ user) { c.Server += "/?token=" + secret }, noServer, address, false},
		"server with a fragment":  {func(c cluster, _ user) { c.Server += "#x" }, noServer, address, false},
		"proxy that is no URL":    {func(c cluster, _ user) { c.ProxyURL = "proxy" }, "the proxy-url of the kubeconfig is no URL", proxy, false},
		"nobody":                  {func(_ cluster, u user) { u.Token = "" }, "the kubeconfig has neither a token nor a client certificate", credentials, false},
		"token of two lines":      {func(_ cluster, u user) { u.Token += "\nImpersonate-User: root" }, badToken, "put the token itself into it as it was issued", false},
		"token with an umlaut":    {func(_ cluster, u user) { u.Token += "ö" }, badToken, "put the token itself into it as it was issued", false},
		"no certificates": {
			func(c cluster, _ user) { c.CertificateAuthorityData = []byte(secret) },
			"certificate-authority-data has no certificate in PEM", "put the certificate of the cluster's authority there", false,
		},
		"no certificate":             {func(_ cluster, u user) { u.ClientCertificateData, u.ClientKeyData = []byte(secret), []byte(secret) }, badPair, asIssued, false},
		"no key":                     {func(_ cluster, u user) { u.ClientCertificateData, _ = newAuthority(t).issue(t, "admin") }, badPair, asIssued, false},
		"no certificate for the key": {func(_ cluster, u user) { _, u.ClientKeyData = newAuthority(t).issue(t, "admin") }, badPair, asIssued, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			access, err := fleet.ParseKubeconfig(kubeconfig(t, test.change), "")
			assertRefused(t, err, fleet.AccessError{Message: test.message, Advice: test.advice, Refused: test.refused})
			assert.Empty(t, access.Token)
		})
	}
}

func assertRefused(t *testing.T, err error, want fleet.AccessError) {
	t.Helper()
	var refused *fleet.AccessError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, want, *refused)
	assert.NotContains(t, refused.Error()+refused.Advice, secret)
}

func TestContextOfAKubeconfig(t *testing.T) {
	good := string(kubeconfig(t, func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo) {}))
	none := strings.Replace(good, "current-context: admin@eu-1", "", 1)
	const (
		choose  = "set access.kubeconfig.context to the context that is to be used"
		correct = "correct access.kubeconfig.context, or the kubeconfig"
		both    = "put both into the kubeconfig"
	)
	tests := map[string]struct{ content, context, message, advice string }{
		"current":              {good, "", "", ""},
		"named":                {none, "admin@eu-1", "", ""},
		"none":                 {none, "", "the kubeconfig has no current-context", choose},
		"empty":                {"", "", "the kubeconfig has no current-context", choose},
		"another":              {good, "us-1", `the kubeconfig does not contain the context "us-1"`, correct},
		"current is missing":   {strings.Replace(good, "current-context: admin", "current-context: x", 1), "", "the kubeconfig does not contain its current-context", correct},
		"without a user":       {good, "half", `the kubeconfig lacks the cluster or the user of the context "half"`, both},
		"no kubeconfig":        {"token: [" + secret, "", "this is no kubeconfig", "put the content of a kubeconfig there, as kubectl reads it"},
		"another kind":         {"apiVersion: v1\nkind: Secret\n", "", "this is no kubeconfig", "put the content of a kubeconfig there, as kubectl reads it"},
		"fields of wrong type": {"users: " + secret, "", "this is no kubeconfig", "put the content of a kubeconfig there, as kubectl reads it"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			access, err := fleet.ParseKubeconfig([]byte(test.content), test.context)
			if test.message == "" {
				require.NoError(t, err)
				assert.Equal(t, secret, access.Token)
				return
			}
			assertRefused(t, err, fleet.AccessError{Message: test.message, Advice: test.advice})
		})
	}
}

// TestOtherContextsDoNotMatter has a kubeconfig whose other user runs a program.
func TestOtherContextsDoNotMatter(t *testing.T) {
	config, err := clientcmd.Load(kubeconfig(t, func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo) {}))
	require.NoError(t, err)
	config.AuthInfos["other"] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{Command: "aws", APIVersion: "client.authentication.k8s.io/v1"}}
	config.Contexts["other"] = &clientcmdapi.Context{Cluster: "eu-1", AuthInfo: "other"}
	content, err := clientcmd.Write(*config)
	require.NoError(t, err)
	_, err = fleet.ParseKubeconfig(content, "")
	require.NoError(t, err)
	_, err = fleet.ParseKubeconfig(content, "other")
	require.ErrorContains(t, err, "runs a program")
}

func TestAccessIsWhatTheKubeconfigSays(t *testing.T) {
	authority := newAuthority(t)
	certificate, key := authority.issue(t, "admin")
	access, err := fleet.ParseKubeconfig(kubeconfig(t, func(c *clientcmdapi.Cluster, u *clientcmdapi.AuthInfo) {
		c.Server, c.ProxyURL, c.TLSServerName = "https://rancher.example.com/k8s/clusters/c-1", "http://me:pw@proxy:3128", "eu-1"
		c.CertificateAuthorityData, u.ClientCertificateData, u.ClientKeyData = authority.encoded, certificate, key
	}), "")
	require.NoError(t, err)
	assert.Equal(t, "https://rancher.example.com/k8s/clusters/c-1", access.Server.String())
	assert.Equal(t, "http://me:pw@proxy:3128", access.Proxy.String())
	assert.Equal(t, "eu-1", access.ServerName)
	assert.Equal(t, authority.encoded, access.Authorities)
	assert.Equal(t, certificate, access.Certificate)
	assert.Equal(t, key, access.Key)
	assert.Equal(t, secret, access.Token)
}

// TestEveryFieldOfAKubeconfigIsDecided fails when client-go adds a field: somebody has to decide what it means here.
func TestEveryFieldOfAKubeconfigIsDecided(t *testing.T) {
	decided := map[reflect.Type][]string{
		reflect.TypeFor[clientcmdapi.Cluster](): {
			"Server", "TLSServerName", "CertificateAuthorityData", "ProxyURL", // used
			"InsecureSkipTLSVerify", "CertificateAuthority", // refused
			"LocationOfOrigin", "DisableCompression", "Extensions", // without a meaning here
		},
		reflect.TypeFor[clientcmdapi.AuthInfo](): {
			"ClientCertificateData", "ClientKeyData", "Token", // used
			"ClientCertificate", "ClientKey", "TokenFile", "Username", "Password", "AuthProvider", "Exec", // refused
			"Impersonate", "ImpersonateUID", "ImpersonateGroups", "ImpersonateUserExtra", // refused
			"LocationOfOrigin", "Extensions", // without a meaning here
		},
	}
	for kind, names := range decided {
		var fields []string
		for field := range kind.Fields() {
			fields = append(fields, field.Name)
		}
		assert.ElementsMatch(t, names, fields, kind.Name())
	}
}

// FuzzKubeconfig has access that is never half of one, and errors that quote nothing.
func FuzzKubeconfig(f *testing.F) {
	f.Add(string(kubeconfig(f, func(*clientcmdapi.Cluster, *clientcmdapi.AuthInfo) {})), "")
	f.Add("users: "+secret, "a")
	f.Fuzz(func(t *testing.T, content, context string) {
		access, err := fleet.ParseKubeconfig([]byte(content), context)
		if err != nil {
			var refused *fleet.AccessError
			require.ErrorAs(t, err, &refused)
			assert.NotEmpty(t, refused.Advice)
			assert.Less(t, len(refused.Message), 200+4*len(context))
			assert.NotContains(t, strings.ReplaceAll(refused.Message, strconv.Quote(context), "")+refused.Advice, secret)
			return
		}
		assert.Equal(t, "https", access.Server.Scheme)
		assert.NotEmpty(t, access.Server.Host)
		assert.Nil(t, access.Server.User)
		assert.NotEmpty(t, access.Token+string(access.Certificate))
		access.Expiry()
	})
}
