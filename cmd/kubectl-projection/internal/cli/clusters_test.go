package cli_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/cli"
)

// patchStatus reports on a RemoteCluster as an operator would that connects to it.
const patchStatus = `{"status":{"version":"v1.36.3","identity":"5b7d6c1e-9f0a-4c0e-8a53-6f8e6f2d9b11","credentialsExpire":"2020-01-01T00:00:00Z",
"observedGeneration":1,"conditions":[
{"type":"Accepted","status":"True","reason":"Accepted","message":"the declaration can be used","observedGeneration":1,"lastTransitionTime":"NOW"},
{"type":"Connected","status":"False","reason":"Unauthorized","observedGeneration":1,"lastTransitionTime":"NOW",
"message":"the cluster does not accept the credentials; nothing is changed there; put other ones into the kubeconfig (eu-1.example.com)"},
{"type":"Ready","status":"False","reason":"Unauthorized","observedGeneration":1,"lastTransitionTime":"NOW",
"message":"the cluster does not accept the credentials; nothing is changed there; put other ones into the kubeconfig (eu-1.example.com)"}]}}`

func TestClusters(t *testing.T) {
	golden(t, "clusters-none", "clusters")
	create(t, "testdata/remoteclusters.yaml")
	report(t, v1alpha1.GroupVersion.WithResource("remoteclusters"), "eu-1", patchStatus)
	golden(t, "clusters",
		"clusters",
		"clusters eu-1",
		"clusters eu-2",
		"clusters own -o json",
		"clusters -o name",
		"clusters -o wide --no-headers",
		"clusters nothing",
		"clusters --as=tenant",
	)
	for command, wanted := range map[string]string{"clusters": "eu-1\neu-2\nown\n", "rights": "eu-1\neu-2\nown\n"} {
		var out bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard}
		require.Zero(t, cli.New("v0.1.0", streams).Run(t.Context(), []string{"__complete", "--kubeconfig", cluster.KubeConfig, command, ""}))
		assert.Contains(t, out.String(), wanted, command)
	}
}

func replaceNow(text string) string {
	return strings.ReplaceAll(text, "NOW", time.Now().UTC().Format(time.RFC3339))
}
