package env

import (
	"context"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// SecondServer is another kube-apiserver on the storage of an environment. It knows the same users.
type SecondServer struct {
	*Process

	address string
	audit   string
}

// StartSecondServer runs another kube-apiserver that reaches etcd at the address, and returns when it is ready. Whoever starts it kills it.
func (e *Environment) StartSecondServer(ctx context.Context, storage string) (*SecondServer, error) {
	_, arguments, err := e.find(APIServer)
	if err != nil {
		return nil, err
	}
	address, err := Address()
	if err != nil {
		return nil, err
	}
	s := &SecondServer{address: address, audit: filepath.Join(e.dir, "audit-"+address+".log")}
	_, port, _ := strings.Cut(address, ":")
	own := map[string]string{
		"--secure-port": port, "--etcd-servers": "http://" + storage, "--audit-log-path": s.audit, "--endpoint-reconciler-type": "none",
	}
	cmd := exec.Command(arguments[0])
	for _, argument := range arguments[1:] {
		if flag, _, _ := strings.Cut(argument, "="); own[flag] == "" {
			cmd.Args = append(cmd.Args, argument)
		}
	}
	for flag, value := range own {
		cmd.Args = append(cmd.Args, flag+"="+value)
	}
	if s.Process, err = StartProcess(cmd); err != nil {
		return nil, err
	}
	config := rest.CopyConfig(e.Config)
	config.Host = "https://" + address
	if err := waitUntilReady(ctx, config); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// Address returns the TCP address of the server.
func (s *SecondServer) Address() string { return s.address }

// AuditMark returns the present end of the server's own audit log.
func (s *SecondServer) AuditMark() (AuditMark, error) { return endOf(s.audit) }

// RequestsSince returns the requests by the user that the server answered after the mark.
func (s *SecondServer) RequestsSince(mark AuditMark, user string) ([]Request, error) {
	return requestsIn(s.audit, mark, user)
}

// AddressOf returns the TCP address of a URL.
func AddressOf(text string) (string, error) {
	parsed, err := url.Parse(text)
	if err != nil {
		return "", err
	}
	return parsed.Host, nil
}
