package fleet_test

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/fleet"
)

func TestExpiryOfCredentials(t *testing.T) {
	certificate, _ := newAuthority(t).issue(t, "admin")
	token := func(claims string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	}
	soon := time.Unix(1_900_000_000, 0)
	tests := map[string]struct {
		access fleet.Access
		want   time.Time
	}{
		"certificate":                      {fleet.Access{Certificate: certificate}, expiry},
		"token":                            {fleet.Access{Token: token(`{"exp": 1900000000}`)}, soon},
		"token and certificate":            {fleet.Access{Token: token(`{"exp": 1900000000}`), Certificate: certificate}, soon},
		"token after the certificate":      {fleet.Access{Token: token(`{"exp": 9900000000}`), Certificate: certificate}, expiry},
		"token that does not end":          {fleet.Access{Token: token(`{"sub": "x"}`), Certificate: certificate}, expiry},
		"token that is no JSON Web Token":  {fleet.Access{Token: "opaque"}, time.Time{}},
		"token of three parts":             {fleet.Access{Token: "a.b.c"}, time.Time{}},
		"token whose expiry is a sentence": {fleet.Access{Token: token(`{"exp": "soon"}`)}, time.Time{}},
		"no certificate in PEM":            {fleet.Access{Certificate: []byte("x")}, time.Time{}},
		"no certificate in DER":            {fleet.Access{Certificate: encode("CERTIFICATE", []byte("x"))}, time.Time{}},
		"nothing":                          {fleet.Access{}, time.Time{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.True(t, test.want.Equal(test.access.Expiry()), test.access.Expiry())
		})
	}
}
