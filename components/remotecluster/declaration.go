package remotecluster

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/fleet"
)

// defaultKeys are those that a Secret may have its kubeconfig in: ours, and that of Cluster API.
var defaultKeys = []string{"kubeconfig", "value"}

// problem is what is wrong with a declaration. It quotes nothing of a Secret but names.
type problem struct{ reason, message, advice string }

// declaration is what a RemoteCluster says of its access.
type declaration struct {
	access  fleet.Access // if there is no problem
	problem *problem
	secret  types.NamespacedName // empty: none is named
	from    v1alpha1.KubeconfigAccess
	version string // of the Secret that was read; empty: there was none
}

// declarations reads what RemoteClusters say of their access, again only if something has changed. One goroutine uses it.
type declarations struct {
	secrets   client.Reader
	watches   *secretWatches
	inCluster func() (fleet.Access, error)
	namespace string
	known     map[string]declaration // by the name of the RemoteCluster, those with a Secret
}

// read returns the declaration of the RemoteCluster. If the cluster has refused it, the Secret is read even if its watch says that nothing has
// changed: the watch may be late. An error says that nothing is known.
func (d *declarations) read(ctx context.Context, remote *v1alpha1.RemoteCluster, refused bool) (declaration, error) {
	named := remote.Spec.Access.Kubeconfig
	if named == nil {
		d.forget(ctx, remote.Name)
		return d.own(), nil
	}
	d.watches.follow(ctx, remote.Name, named.Secret)
	before, isKnown := d.known[remote.Name]
	if isKnown && !refused && before.from == *named && d.watches.isLatest(named.Secret, before.version) {
		return before, nil
	}
	var secret corev1.Secret
	name := types.NamespacedName{Namespace: d.namespace, Name: named.Secret}
	err := d.secrets.Get(ctx, name, &secret)
	read := declaration{secret: name, from: *named, version: secret.ResourceVersion}
	switch {
	case err == nil:
		read.access, read.problem = parse(&secret, *named)
	case apierr.IsObjectNotFound(err, named.Secret):
		read.problem = &problem{
			v1alpha1.ReasonSecretNotFound, fmt.Sprintf("there is no Secret %s", name), "create it with a kubeconfig, or correct access.kubeconfig.secret",
		}
	case apierrors.IsForbidden(err):
		delete(d.known, remote.Name)
		return declaration{secret: name, problem: &problem{
			v1alpha1.ReasonSecretNotFound, fmt.Sprintf("the operator may not read Secret %s", name),
			"give it a Role in that namespace that permits to get, list and watch secrets, as the chart does with remoteClusters.enabled",
		}}, err
	default:
		return read, err
	}
	d.known[remote.Name] = read
	return read, nil
}

// forget ends what is kept for the RemoteCluster.
func (d *declarations) forget(ctx context.Context, name string) {
	d.watches.follow(ctx, name, "")
	delete(d.known, name)
}

func (d *declarations) own() declaration {
	access, err := d.inCluster()
	if err != nil {
		return declaration{problem: &problem{
			v1alpha1.ReasonKubeconfigInvalid, "the access of the operator to its own cluster cannot be used here", "name a kubeconfig instead of inCluster",
		}}
	}
	return declaration{access: access}
}

// parse returns the access that a Secret has.
func parse(secret *corev1.Secret, named v1alpha1.KubeconfigAccess) (fleet.Access, *problem) {
	name := secret.Namespace + "/" + secret.Name
	key, content := keyOf(secret, named.Key)
	if content == nil {
		message := fmt.Sprintf("Secret %s has neither the key kubeconfig nor the key value", name)
		if named.Key != "" {
			message = fmt.Sprintf("Secret %s has no key %s", name, named.Key)
		}
		return fleet.Access{}, &problem{v1alpha1.ReasonSecretNotFound, message, "add it with a kubeconfig, or correct access.kubeconfig.key"}
	}
	access, err := fleet.ParseKubeconfig(content, named.Context)
	if err == nil {
		return access, nil
	}
	found := &problem{
		reason: v1alpha1.ReasonKubeconfigInvalid, message: fmt.Sprintf("Secret %s, key %s: it cannot be used", name, key),
		advice: "put a kubeconfig there, as kubectl reads it",
	}
	if why, ok := errors.AsType[*fleet.AccessError](err); ok {
		found.message, found.advice = fmt.Sprintf("Secret %s, key %s: %s", name, key, why.Message), why.Advice
		if why.Refused {
			found.reason = v1alpha1.ReasonKubeconfigRefused
		}
	}
	return fleet.Access{}, found
}

// keyOf returns the key, and what it has; nil: the Secret has no such key.
func keyOf(secret *corev1.Secret, key string) (string, []byte) {
	keys := defaultKeys
	if key != "" {
		keys = []string{key}
	}
	for _, key := range keys {
		if content, found := secret.Data[key]; found {
			return key, append([]byte{}, content...)
		}
	}
	return "", nil
}
