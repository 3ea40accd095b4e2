package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"projection.sh/operator/test/env"
)

// cluster is what is measured on: a control plane of the bench's own, or one that somebody lent.
type cluster struct {
	admin *rest.Config
	plane *env.Environment // nil: lent, and its requests cannot be counted
	lent  string           // path of the kubeconfig

	installed []envtest.CRDInstallOptions // to be removed
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func openCluster(ctx context.Context, lent string) (*cluster, error) {
	if lent != "" {
		return borrow(ctx, lent)
	}
	// The audit log must not be rotated while it is read.
	plane, err := env.Start(env.WithCRDs(env.CRDs()), env.WithAPIServerFlag("audit-log-maxsize", "4000"))
	if err != nil {
		return nil, err
	}
	return &cluster{admin: plane.Config, plane: plane}, nil
}

func borrow(ctx context.Context, path string) (*cluster, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	c := &cluster{admin: config, lent: path}
	api, err := newAPI(config)
	if err != nil {
		return nil, err
	}
	_, err = api.dynamic.Resource(definitions).Get(ctx, projections.Resource+"."+projections.Group, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		install := envtest.CRDInstallOptions{Paths: []string{env.CRDs()}, ErrorIfPathMissing: true}
		c.installed = append(c.installed, install)
		_, err = envtest.InstallCRDs(config, install)
	}
	return c, err
}

// close gives the cluster back as it was, but for what the rows have created.
func (c *cluster) close() error {
	if c.plane != nil {
		return c.plane.Stop()
	}
	var errs []error
	for _, install := range c.installed {
		errs = append(errs, envtest.UninstallCRDs(c.admin, install))
	}
	return errors.Join(errs...)
}

// kubeConfigFor returns a kubeconfig for a runner. On the bench's own control plane the runner is a user of its own, with
// the rights of an administrator and the priority of a service account.
func (c *cluster) kubeConfigFor(ctx context.Context, user string) (string, error) {
	if c.plane == nil {
		return c.lent, nil
	}
	api, err := newAPI(c.admin)
	if err != nil {
		return "", err
	}
	binding := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"metadata": map[string]any{"name": user},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}},
	}}
	bindings := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"}
	_, err = api.dynamic.Resource(bindings).Create(ctx, binding, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("give %s its rights: %w", user, err)
	}
	return c.plane.KubeConfigFor(user, "system:serviceaccounts")
}

// mark returns the present end of the record of requests.
func (c *cluster) mark() (env.AuditMark, error) {
	if c.plane == nil {
		return 0, nil
	}
	return c.plane.AuditMark()
}
