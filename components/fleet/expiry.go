package fleet

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"time"
)

// Expiry returns when the first of the credentials ends; zero: none of them says so. It is shown, and decides nothing.
func (a Access) Expiry() time.Time {
	return earlier(certificateExpiry(a.Certificate), tokenExpiry(a.Token))
}

// earlier returns the earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// certificateExpiry returns the end of the first certificate: that of the client.
func certificateExpiry(encoded []byte) time.Time {
	block, _ := pem.Decode(encoded)
	if block == nil {
		return time.Time{}
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}
	}
	return certificate.NotAfter
}

// tokenExpiry reads the claim exp of a JSON Web Token. Other tokens have none.
func tokenExpiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claimed struct {
		Expiry int64 `json:"exp"`
	}
	if json.Unmarshal(claims, &claimed) != nil || claimed.Expiry <= 0 {
		return time.Time{}
	}
	return time.Unix(claimed.Expiry, 0)
}
