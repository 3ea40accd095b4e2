package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/components/rights"
)

// print writes the objects as documents of a YAML file, behind comments that say what to do with it.
func (r *rightsReport) print(out io.Writer) error {
	for _, line := range r.comments() {
		if _, err := fmt.Fprintln(out, strings.TrimSpace("# "+line)); err != nil {
			return err
		}
	}
	for _, object := range rights.Objects(r.account, r.grants) {
		text, err := manifest(object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

// manifest returns the object as YAML, without the fields of a Namespace that are always empty.
func manifest(object runtime.Object) ([]byte, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	delete(fields, "spec")
	delete(fields, "status")
	return yaml.Marshal(fields)
}

// comments say what to do, line by line.
func (r *rightsReport) comments() []string {
	name, account := r.remote.Name, r.account.Name
	secret := r.remote.Spec.Access.Kubeconfig
	key, context := cmp.Or(secret.Key, "kubeconfig"), cmp.Or(secret.Context, name)
	lines := []string{
		fmt.Sprintf("Apply this in the cluster %s. Then give the operator a kubeconfig with a token of the account, in the Secret %s/%s of this cluster:",
			name, r.secretNamespace, secret.Secret),
		"",
		fmt.Sprintf("  TOKEN=$(kubectl --context=CONTEXT create token %s -n %s --duration=24h)", account, r.account.Namespace),
		fmt.Sprintf("  kubectl --kubeconfig=FILE config set-cluster %s --server=URL --certificate-authority=CA --embed-certs", name),
		fmt.Sprintf("  kubectl --kubeconfig=FILE config set-credentials %s --token=$TOKEN", account),
		fmt.Sprintf("  kubectl --kubeconfig=FILE config set-context %s --cluster=%s --user=%s", context, name, account),
		"  kubectl --kubeconfig=FILE config use-context " + context,
		fmt.Sprintf("  kubectl create secret generic %s -n %s --from-file=%s=FILE", secret.Secret, r.secretNamespace, key),
		"",
	}
	lines = append(lines, "It is what these rules need: "+strings.Join(orNone(r.rules), ", ")+".")
	if len(r.published) > 0 {
		lines = append(lines, "It is what these PublishedResources need: "+strings.Join(r.published, ", ")+".")
	}
	for _, why := range r.leftOut {
		lines = append(lines, "Left out: "+why+".")
	}
	for _, kind := range r.guessed {
		lines = append(lines, "A guess, since this cluster does not serve the kind: "+kind+".")
	}
	for _, resource := range r.unknown {
		lines = append(lines, unknownValue+": you may not list "+resource+", so permissions can be missing.")
	}
	return lines
}

func orNone(names []string) []string {
	if len(names) == 0 {
		return []string{"none yet"}
	}
	return names
}
