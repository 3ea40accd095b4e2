package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// Values of the flag --dry-run.
const (
	dryRunNone   = "none"
	dryRunClient = "client"
	dryRunServer = "server"
)

// addDryRun adds the flag --dry-run to a command that changes something.
func addDryRun(command *cobra.Command, value *string) {
	command.Flags().StringVar(value, "dry-run", dryRunNone,
		`Must be "none", "server", or "client". If server, the API server checks the change without keeping it.`)
	_ = command.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions( // the flag exists
		[]cobra.Completion{dryRunNone, dryRunServer, dryRunClient}, cobra.ShellCompDirectiveNoFileComp))
}

func checkDryRun(value string) error {
	switch value {
	case dryRunNone, dryRunClient, dryRunServer:
		return nil
	default:
		return fmt.Errorf("invalid dry-run value %q: must be %q, %q, or %q", value, dryRunNone, dryRunServer, dryRunClient)
	}
}

// patchOptions are those of a change by the plugin.
func patchOptions(dryRun string) metav1.PatchOptions {
	options := metav1.PatchOptions{FieldManager: access.FieldManager, FieldValidation: metav1.FieldValidationStrict}
	if dryRun == dryRunServer {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return options
}

// inDryRun says at the end of a line what kubectl says there.
func inDryRun(dryRun string) string {
	switch dryRun {
	case dryRunClient:
		return " (dry run)"
	case dryRunServer:
		return " (server dry run)"
	default:
		return ""
	}
}
