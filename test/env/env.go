package env

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// Environment is a running control plane.
type Environment struct {
	// Config reaches the API server as a member of system:masters, without client-side throttling.
	Config *rest.Config
	// KubeConfig is the path of a file that says the same to kubectl.
	KubeConfig string
	// Assets is the directory of the programs.
	Assets string

	dir               string
	plane             *envtest.Environment
	controllerManager *Process
	restarted         map[Program]*Process // in the place of envtest's own
	issuing           sync.Mutex           // envtest numbers its certificates without a lock
}

type options struct {
	crds              []string
	controllerManager bool
	logs              string
	flags             map[string]string
}

// Option adapts a control plane.
type Option func(*options)

// WithCRDs installs the CustomResourceDefinitions found below the paths.
func WithCRDs(paths ...string) Option { return func(o *options) { o.crds = append(o.crds, paths...) } }

// WithControllerManager runs kube-controller-manager too: namespaces end, garbage is collected, service accounts appear.
func WithControllerManager() Option { return func(o *options) { o.controllerManager = true } }

// WithLogs writes the output of every program to a file below the directory. The programs then survive this process.
func WithLogs(dir string) Option { return func(o *options) { o.logs = dir } }

// WithAPIServerFlag sets one flag (without dashes) of kube-apiserver.
func WithAPIServerFlag(name, value string) Option { return func(o *options) { o.flags[name] = value } }

// Start runs a control plane. Whoever starts it stops it.
func Start(opts ...Option) (_ *Environment, err error) {
	chosen := options{flags: map[string]string{}}
	for _, opt := range opts {
		opt(&chosen)
	}
	var more []Program
	if chosen.controllerManager {
		more = append(more, ControllerManager)
	}
	assets, err := Assets(more...)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "controlplane-")
	if err != nil {
		return nil, err
	}
	e := &Environment{Assets: assets, dir: dir, restarted: map[Program]*Process{}, plane: &envtest.Environment{
		BinaryAssetsDirectory:    assets,
		CRDDirectoryPaths:        chosen.crds,
		ErrorIfCRDPathMissing:    true,
		ControlPlaneStartTimeout: time.Minute,
		ControlPlaneStopTimeout:  time.Minute,
	}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Stop())
		}
	}()
	if err := e.configureAPIServer(chosen); err != nil {
		return nil, err
	}
	if e.Config, err = e.plane.Start(); err != nil {
		return nil, fmt.Errorf("start etcd and kube-apiserver from %s: %w", assets, err)
	}
	e.Config.QPS = -1
	if e.KubeConfig, err = e.KubeConfigFor("admin", "system:masters"); err != nil {
		return nil, err
	}
	if chosen.controllerManager {
		e.controllerManager, err = startControllerManager(e, chosen.logs)
	}
	return e, err
}

func (e *Environment) configureAPIServer(chosen options) error {
	server := e.plane.ControlPlane.GetAPIServer()
	args := server.Configure()
	if chosen.controllerManager {
		args.Disable("disable-admission-plugins")
	}
	if err := e.configureAudit(args); err != nil {
		return err
	}
	for name, value := range chosen.flags {
		args.Set(name, value)
	}
	if chosen.logs == "" {
		return nil
	}
	var err error
	if server.Out, server.Err, err = logFiles(chosen.logs, "kube-apiserver"); err != nil {
		return err
	}
	e.plane.ControlPlane.Etcd = &envtest.Etcd{}
	e.plane.ControlPlane.Etcd.Out, e.plane.ControlPlane.Etcd.Err, err = logFiles(chosen.logs, "etcd")
	return err
}

// Stop ends every program and removes what they wrote.
func (e *Environment) Stop() error {
	return errors.Join(e.controllerManager.end(),
		e.restarted[APIServer].end(), e.plane.Stop(), e.restarted[Etcd].end(), // the API server needs its storage to end
		os.RemoveAll(e.dir))
}

// KubeConfigFor issues a client certificate and returns the path of a kubeconfig file that uses it.
func (e *Environment) KubeConfigFor(user string, groups ...string) (string, error) {
	account, err := e.issue(user, groups)
	if err != nil {
		return "", err
	}
	content, err := account.KubeConfig()
	if err != nil {
		return "", fmt.Errorf("write a kubeconfig for %s: %w", user, err)
	}
	path := filepath.Join(e.dir, user+".kubeconfig")
	return path, os.WriteFile(path, content, 0o600)
}

// ConfigFor issues a client certificate and returns a configuration that uses it, without client-side throttling.
// The user's name shows in the audit log.
func (e *Environment) ConfigFor(user string, groups ...string) (*rest.Config, error) {
	account, err := e.issue(user, groups)
	if err != nil {
		return nil, err
	}
	config := account.Config()
	config.QPS = -1
	return config, nil
}

func (e *Environment) issue(user string, groups []string) (*envtest.AuthenticatedUser, error) {
	e.issuing.Lock()
	defer e.issuing.Unlock()
	account, err := e.plane.AddUser(envtest.User{Name: user, Groups: groups}, nil)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate for %s: %w", user, err)
	}
	return account, nil
}

// Storage returns the address at which etcd answers, without TLS.
func (e *Environment) Storage() string { return e.plane.ControlPlane.Etcd.URL.String() }
