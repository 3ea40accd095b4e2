package cli_test

import "testing"

func TestVersion(t *testing.T) {
	golden(t, "version", "version", "version --client", "version -o json", "version -o table",
		"version --as=tenant")
}

func TestWhyAnObjectIsWhatItIs(t *testing.T) {
	golden(t, "why-object",
		"why configmap/shared-config -n tenant-a",
		"why cm shared-config -n tenant-a -o yaml",
		"why cm/app-config -n web-1",
		"why cm/app-config -n web-2",
		"why secret/ca -n web-1 -o json",
		"why configmaps.v1./dashboard-a -n web-1",
		"why cm/old -n web-1",
		"why cm/made-from-a-copy -n legacy",
		"why cm/released -n legacy",
		"why cm/ambiguous -n legacy",
		"why cm/forged -n legacy",
		"why cm/unwanted -n api-1",
	)
}

func TestWhoCopiesAnObject(t *testing.T) {
	golden(t, "why-source",
		"why cm/app-config -n platform",
		"why secret/ca -n platform",
		"why cm/private -n platform",
		"why cm/dashboard-b -n platform",
	)
}

func TestWhyANamespaceHasNoCopy(t *testing.T) {
	golden(t, "why-rule",
		"why clusterprojection/base -n web-1",
		"why cproj/base -n web-2",
		"why cproj/base -n legacy",
		"why cproj/base -n tenant-b",
		"why cproj/ca -n kube-system",
		"why cproj/ca -n legacy",
		"why cproj/listed -n nowhere",
		"why cproj/listed -n web-2",
		"why cproj/dashboards -n web-1",
		"why cproj/dashboards -n legacy -o json",
		"why cproj/paused -n api-1",
		"why projection app-config -n tenant-a",
		"why proj/ca -n tenant-a",
		"why proj/private -n tenant-a",
		"why proj/withdrawn -n tenant-a",
		"why proj/gone -n tenant-a",
		"why cproj/base -n web-1 --operator-namespace=strict",
	)
}

func TestWhatTheCallerMayNotReadIsUnknown(t *testing.T) {
	golden(t, "why-unknown",
		"why cm/shared-config -n tenant-a --as=tenant",
		"why cm/app-config -n web-1 --as=tenant",
		"why proj/app-config -n tenant-a --as=tenant",
		"why cm/app-config -n platform --as=tenant",
		"why clusterprojection/base -n tenant-a --as=tenant",
		"why proj/private -n tenant-a --as=reader",
		"why cproj/ca -n kube-system --operator-namespace=elsewhere",
		"why cproj/merged -n api-1 --operator-namespace=elsewhere",
	)
}

func TestWhyRefusesWhatIsNoObject(t *testing.T) {
	golden(t, "why-errors",
		"why cm/nothing -n tenant-a",
		"why cproj/nothing",
		"why gadgets/x",
		"why node/x",
		"why cm",
		"why cm/a/b",
		"why cm/app-config -n platform -o wide",
	)
}
