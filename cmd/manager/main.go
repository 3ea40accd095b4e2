// The manager runs the operator.
package main

import (
	"fmt"
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/cmd/manager/app"
)

// version is stamped by the linker.
var version = "unknown"

func main() {
	if err := app.Main(ctrl.SetupSignalHandler(), version, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "projection:", err)
		os.Exit(1)
	}
}
