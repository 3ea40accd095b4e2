package fleet

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net/url"
)

// Access says how a cluster is reached, and as whom. It consists of data alone: no program, no file, no password but that of a proxy. It is
// never changed.
type Access struct {
	// Server is the URL of the API server. Its path, if any, is the prefix of all paths.
	Server *url.URL
	// ServerName is the name in the certificate of the API server; empty: the host of Server.
	ServerName string
	// Authorities are the certificates of authorities, as PEM, one of which has to have signed that of the API server. Empty: those of the system.
	Authorities []byte
	// Proxy is the URL of an HTTP proxy through which connections are tunneled; nil: what the environment of the operator says.
	Proxy *url.URL
	// Certificate and Key are those of the client, as PEM; empty: none.
	Certificate, Key []byte
	// Token is a bearer token; empty: none.
	Token string
}

// String returns where the cluster is. It has no credentials.
func (a Access) String() string {
	if a.Server == nil {
		return ""
	}
	return a.Server.Redacted()
}

// GoString implements fmt.GoStringer.
func (a Access) GoString() string { return "fleet.Access(" + a.String() + ")" }

// MarshalLog implements logr.Marshaler.
func (a Access) MarshalLog() any { return a.String() }

// AccessError says why a declared access is not used. Its text quotes nothing of the declaration but names.
type AccessError struct {
	// Message says what is wrong.
	Message string
	// Advice says what to do.
	Advice string
	// Refused reports whether the declaration is understood, and contains what is not allowed.
	Refused bool
}

func (e *AccessError) Error() string { return e.Message }

// sharesConnections reports whether connections that were made for the other access serve this one, too: only the token may differ.
func (a Access) sharesConnections(other Access) bool {
	return a.sharesAddress(other) && a.ServerName == other.ServerName && bytes.Equal(a.Authorities, other.Authorities) &&
		bytes.Equal(a.Certificate, other.Certificate) && bytes.Equal(a.Key, other.Key)
}

// sharesAddress reports whether both are reached at the same address in the same way.
func (a Access) sharesAddress(other Access) bool {
	return a.Server.String() == other.Server.String() && text(a.Proxy) == text(other.Proxy)
}

func text(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.String()
}

// tlsConfig returns the settings of TLS. The certificate of the API server is always checked.
func (a Access) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.ServerName}
	if len(a.Authorities) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(a.Authorities) {
			return nil, invalid("certificate-authority-data has no certificate in PEM", "put the certificate of the cluster's authority there")
		}
	}
	if len(a.Certificate)+len(a.Key) > 0 {
		pair, err := tls.X509KeyPair(a.Certificate, a.Key)
		if err != nil { // its text may quote the key
			return nil, invalid("client-certificate-data and client-key-data are no certificate with its key, in PEM", "put both there as they were issued")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func invalid(message, advice string) error { return &AccessError{Message: message, Advice: advice} }

func refused(message, advice string) error {
	return &AccessError{Message: message, Advice: advice, Refused: true}
}
