package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"projection.sh/operator/test/env"
)

// replica is the manager as a process of its own, in the place of a pod.
type replica struct {
	t       *testing.T
	process *os.Process
	ended   chan struct{}
}

// start runs a replica as the Deployment says, and returns when it is ready. A pod would have a service account, a namespace
// and an address of its own; the arguments that are added stand for those.
func (i *installation) start() *replica {
	i.t.Helper()
	pod := i.deployment().Spec.Template.Spec
	probes := address(i.t)
	args := append(slices.Clone(pod.Containers[0].Args),
		"--kubeconfig="+kubeconfig(i.t, pod.ServiceAccountName), "--leader-election-namespace="+system,
		"--metrics-bind-address="+address(i.t), "--health-probe-bind-address="+probes)

	command := exec.Command(manager, args...)
	log, err := os.Create(filepath.Join(i.t.TempDir(), "manager.log"))
	require.NoError(i.t, err)
	command.Stdout, command.Stderr = log, log
	require.NoError(i.t, command.Start())
	r := &replica{t: i.t, process: command.Process, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		_ = command.Wait() // it is told to end, or killed
	}()
	i.t.Cleanup(func() {
		r.stop()
		r.tell(log.Name())
	})
	require.Eventually(i.t, func() bool { return r.answers("http://" + probes + "/readyz") }, soon, tick, "the manager does not get ready")
	return r
}

func (r *replica) answers(url string) bool {
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(r.t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// stop asks the process to end, as a node does, and waits until it has.
func (r *replica) stop() {
	_ = r.process.Signal(syscall.SIGTERM) // it may have ended
	<-r.ended
}

// kill ends the process without a last word.
func (r *replica) kill() {
	r.t.Helper()
	require.NoError(r.t, r.process.Kill())
	<-r.ended
}

// tell prints the end of the log of a story that went wrong.
func (r *replica) tell(log string) {
	if !r.t.Failed() {
		return
	}
	content, err := os.ReadFile(log)
	if err == nil {
		r.t.Logf("the manager's last words:\n%s", content[max(0, len(content)-5000):])
	}
}

func address(t *testing.T) string {
	t.Helper()
	port, err := env.FreePort()
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// kubeconfig returns the path of a file by which the service account reaches the API server.
func kubeconfig(t *testing.T, account string) string {
	t.Helper()
	config, err := cluster.ServiceAccountConfig(t.Context(), system, account)
	require.NoError(t, err)
	require.NoError(t, rest.LoadTLSFiles(config))
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"it": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"it": {Token: config.BearerToken}},
		Contexts:       map[string]*clientcmdapi.Context{"it": {Cluster: "it", AuthInfo: "it"}},
		CurrentContext: "it",
	}, path))
	return path
}
