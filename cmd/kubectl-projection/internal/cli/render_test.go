package cli_test

import "testing"

func TestRender(t *testing.T) {
	golden(t, "render",
		"render clusterprojection/base -n web-1",
		"render cproj ca -n web-1 -o json",
		"render cproj/dashboards -n web-2",
		"render proj/app-config -n tenant-a",
		"render cproj/base -n legacy",
		"render proj/withdrawn -n tenant-a",
		"render proj/app-config -n tenant-a --as=tenant",
		"render cm/app-config -n platform",
		"render cproj/base -o name",
	)
}

func TestConsents(t *testing.T) {
	golden(t, "consents",
		"consents -A",
		"consents -n platform -o wide --kinds=deployments.apps,cm",
		"consents -n legacy",
		"consents -n platform -o name",
		"consents -n platform -o json --kinds=gadgets",
		"consents -n tenant-a --as=tenant",
		"consents -A --as=tenant -o json",
	)
}

func TestEvents(t *testing.T) {
	golden(t, "events",
		"events projection/private -n tenant-a -o wide",
		"events cm/app-config -n web-2",
		"events cproj/paused",
		"events proj/nothing -n tenant-a",
		"events proj/withdrawn -n tenant-a -o json",
		"events -n tenant-a --as=tenant",
		"events -A --as=tenant",
	)
}
