package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/apierr"
)

// deleteOrphans asks whether the orphans are to be deleted, and deletes them.
func (o *options) deleteOrphans(ctx context.Context, there *access.Cluster, found *orphansReport, asked orphansFlags) error {
	if err := found.print(o.Out, &output{}, o.now()); err != nil || len(found.Orphans) == 0 {
		return err
	}
	if !asked.isAgreed && asked.dryRun == dryRunNone {
		isAgreed, err := o.agrees(fmt.Sprintf("Delete %s in the cluster %s?", count(len(found.Orphans), "object", "objects"), found.Cluster))
		if err != nil {
			return err
		}
		if !isAgreed {
			_, err := fmt.Fprintln(o.Out, "Nothing is deleted.")
			return err
		}
	}
	var failed error
	for _, left := range found.Orphans {
		said, err := deleteOrphan(ctx, there, left, asked.dryRun)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if _, err := fmt.Fprintln(o.Out, said); err != nil {
			return err
		}
	}
	return failed
}

// agrees asks the caller, and reports whether the answer is yes.
func (o *options) agrees(question string) (bool, error) {
	if _, err := fmt.Fprint(o.Out, question+" [y/N] "); err != nil {
		return false, err
	}
	answers := bufio.NewScanner(o.In)
	answers.Scan() // no answer is a no
	switch strings.ToLower(strings.TrimSpace(answers.Text())) {
	case "y", "yes":
		return true, answers.Err()
	default:
		return false, answers.Err()
	}
}

// deleteOrphan deletes the object if it is still the one that was listed, and says what was done.
func deleteOrphan(ctx context.Context, there *access.Cluster, left orphan, dryRun string) (string, error) {
	name := objectname.Argument(left.Object.GroupKind(), left.Object.Name) + " in the namespace " + left.Object.Namespace
	if dryRun == dryRunClient {
		return name + " deleted" + inDryRun(dryRun), nil
	}
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &left.uid, ResourceVersion: &left.version}}
	if dryRun == dryRunServer {
		options.DryRun = []string{metav1.DryRunAll}
	}
	err := there.Metadata.Resource(left.listable.Resource).Namespace(left.Object.Namespace).Delete(ctx, left.Object.Name, options)
	switch {
	case apierrors.IsNotFound(err):
		return name + " is deleted already", nil
	case apierrors.IsConflict(err):
		return "", errors.New(name + " has changed since it was listed, and stays: run the command again")
	case err != nil:
		return "", fmt.Errorf("delete %s: %s", name, apierr.Message(apierr.RedactSecret(err)))
	default:
		return name + " deleted" + inDryRun(dryRun), nil
	}
}
