package cli_test

import "testing"

func TestDoctor(t *testing.T) {
	golden(t, "doctor",
		"doctor",
		"doctor -o json --ignore=PR201,PR301",
		"doctor -o name --ignore=PR101,PR102",
		"doctor --ignore=PR201,PR205,PR301,PR302,PR303",
		"doctor --ignore=PR000",
		"doctor --no-headers --operator-namespace=strict --ignore=PR201",
		"doctor --as=tenant",
		"doctor unexpected",
	)
}
