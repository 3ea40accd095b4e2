package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/clientcmd"

	"projection.sh/operator/test/faults"
)

// nowhere is an address at which nobody listens.
const nowhere = "127.0.0.1:1"

// twoClusters is the story of the operator's cluster, the hub, and of another one.
type twoClusters struct {
	story

	relay  *faults.Relay // between the operator and the other cluster
	target string        // of the relay
	// directory has the kubeconfig by which the operator reaches the other cluster.
	directory string
}

// tellStoryOfClusters goes through the steps of the story of two clusters.
func tellStoryOfClusters(ctx context.Context, checked *tally, p props, assets string, _ bool) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen, err := observe(ctx, p.KubeConfig)
	if err != nil {
		return err
	}
	s := &twoClusters{story: story{shell: newShell(p.KubeConfig, assets), seen: seen}}
	s.shell.environment = append(s.shell.environment, "EU_1="+p.Member)
	if s.directory, err = os.MkdirTemp("", "projection-demo-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.directory)) }()
	if err := s.connect(p.Member); err != nil {
		return err
	}
	defer s.relay.Close()
	for _, step := range []func(context.Context) error{s.declare, s.pull, s.follow, s.push, s.cut, s.heal, s.withdraw, s.remove, s.offer, s.consume} {
		if err := checked.check(step(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// connect starts the relay, and writes a kubeconfig for the way through it.
func (s *twoClusters) connect(member string) error {
	config, err := clientcmd.LoadFromFile(member)
	if err != nil {
		return err
	}
	for _, cluster := range config.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			return err
		}
		s.target = server.Host
		if s.relay, err = faults.NewRelay(s.target); err != nil {
			return err
		}
		server.Host = s.relay.Address()
		cluster.Server = server.String()
	}
	file := filepath.Join(s.directory, "eu-1.kubeconfig")
	s.shell.environment = append(s.shell.environment, "EU_1_FOR_OPERATOR="+file)
	return clientcmd.WriteToFile(*config, file)
}

func (s *twoClusters) declare(ctx context.Context) error {
	heading("Another cluster, eu-1, is declared: the operator connects to it")
	return s.types(ctx,
		"kubectl -n projection-system create secret generic eu-1-kubeconfig --from-file=kubeconfig=$EU_1_FOR_OPERATOR",
		"cat test/demo/remotecluster.yaml",
		"kubectl apply --server-side -f test/demo/remotecluster.yaml",
		"kubectl wait --for=condition=Ready remotecluster/eu-1 --timeout=30s",
		"kubectl get remoteclusters",
	)
}

func (s *twoClusters) pull(ctx context.Context) error {
	heading("A team of eu-1 opts its ConfigMap in, for other clusters, too. A tenant of this cluster wants a copy")
	err := s.types(ctx,
		"kubectl --kubeconfig=$EU_1 apply --server-side -f test/demo/elsewhere.yaml",
		"kubectl create namespace shop",
		"cat test/demo/pull.yaml",
		"kubectl apply --server-side -f test/demo/pull.yaml",
		"kubectl -n shop wait --for=condition=Ready projection/roots --timeout=30s",
	)
	if err != nil {
		return err
	}
	if _, err := s.seen.next(ctx, watch.Added, "shop", "roots"); err != nil {
		return err
	}
	return s.types(ctx, "kubectl -n shop get configmap roots -o jsonpath='{.metadata.annotations.projection\\.sh/source}{\"\\n\"}{.data}'")
}

func (s *twoClusters) follow(ctx context.Context) error {
	heading("The source is edited in eu-1: the copy is updated here")
	if err := s.editThere(ctx, "second"); err != nil {
		return err
	}
	return s.copied(ctx, "second")
}

func (s *twoClusters) push(ctx context.Context) error {
	heading("The platform team copies a Secret into namespaces of all clusters with a label")
	return s.types(ctx,
		"kubectl --kubeconfig=$EU_1 create namespace shop",
		"kubectl --kubeconfig=$EU_1 label namespace shop pull=yes",
		"cat test/demo/push.yaml",
		"kubectl apply --server-side -f test/demo/push.yaml",
		"kubectl wait --for=condition=Ready clusterprojection/registry --timeout=30s",
		"kubectl --kubeconfig=$EU_1 -n shop get secret registry --show-labels",
		`kubectl get clusterprojection registry -o jsonpath='{.status.clusters}'`,
	)
}

func (s *twoClusters) cut(ctx context.Context) error {
	heading("The network to eu-1 is cut, and both sources are edited: the copies stay as they are, and the rules say why")
	s.relay.Switch(nowhere)
	if err := s.editThere(ctx, "third"); err != nil {
		return err
	}
	return s.types(ctx,
		`kubectl -n platform patch secret registry --type=merge -p '{"stringData":{"password":"third"}}'`,
		"kubectl wait --for=condition=Ready=false remotecluster/eu-1 --timeout=30s",
		"kubectl -n shop wait --for=condition=Ready=false projection/roots --timeout=30s",
		`kubectl -n shop get projection roots -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`,
		"kubectl -n shop get configmap roots -o jsonpath='{.data.bundle}' | grep second",
		"kubectl wait --for=condition=Ready=false clusterprojection/registry --timeout=30s",
		`kubectl get clusterprojection registry -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`,
	)
}

func (s *twoClusters) heal(ctx context.Context) error {
	heading("The network is healed: the copies follow")
	s.relay.Switch(s.target)
	if err := s.copied(ctx, "third"); err != nil {
		return err
	}
	return s.types(ctx,
		"kubectl wait --for=condition=Ready remotecluster/eu-1 --timeout=60s",
		"kubectl -n shop wait --for=condition=Ready projection/roots --timeout=30s",
		"kubectl wait --for=condition=Ready clusterprojection/registry --timeout=30s",
		"kubectl --kubeconfig=$EU_1 -n shop get secret registry -o jsonpath='{.data.password}' | base64 -d | grep third",
	)
}

func (s *twoClusters) withdraw(ctx context.Context) error {
	heading("The team of eu-1 takes its consent back: the copy is deleted here")
	err := s.types(ctx, "kubectl --kubeconfig=$EU_1 -n pki annotate configmap roots projection.sh/exportable-")
	if err != nil {
		return err
	}
	if _, err := s.seen.next(ctx, watch.Deleted, "shop", "roots"); err != nil {
		return err
	}
	return s.types(ctx,
		`kubectl -n shop wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=SourceNotExportable projection/roots --timeout=30s`,
		`kubectl -n shop get projection roots -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`,
	)
}

func (s *twoClusters) remove(ctx context.Context) error {
	heading("The rule is deleted: its copies in eu-1 are deleted, too")
	return s.types(ctx,
		"kubectl delete clusterprojection registry --timeout=30s",
		"kubectl --kubeconfig=$EU_1 -n shop get secret registry --ignore-not-found",
	)
}

func (s *twoClusters) offer(ctx context.Context) error {
	heading("The owner of a service in this cluster offers a kind to other clusters, with another name: the operator defines it in eu-1")
	return s.types(ctx,
		"kubectl apply --server-side -f test/demo/service.yaml",
		"kubectl wait --for=condition=Established crd/postgresclusters.db.example.org --timeout=30s",
		"cat test/demo/publish.yaml",
		"kubectl apply --server-side -f test/demo/publish.yaml",
		"kubectl wait --for=condition=DefinitionInstalled publishedresource/databases --timeout=30s",
		"kubectl --kubeconfig=$EU_1 wait --for=condition=Established crd/databases.db.example.com --timeout=30s",
	)
}

func (s *twoClusters) consume(ctx context.Context) error {
	heading("A user of eu-1 creates an object: the service gets it here, and its status comes back")
	return s.types(ctx,
		"cat test/demo/order.yaml",
		"kubectl --kubeconfig=$EU_1 apply --server-side -f test/demo/order.yaml",
		"kubectl -n for-eu-1 wait --for=create postgrescluster/shop-orders --timeout=30s",
		"kubectl -n for-eu-1 get postgrescluster shop-orders -o jsonpath='{.spec}'",
		`kubectl -n for-eu-1 patch postgrescluster shop-orders --subresource=status --type=merge -p '{"status":{"endpoint":"10.0.0.7:5432"}}'`,
		"kubectl --kubeconfig=$EU_1 -n shop wait --for=jsonpath='{.status.endpoint}'=10.0.0.7:5432 database/orders --timeout=30s",
		"kubectl wait --for=condition=Ready publishedresource/databases --timeout=30s",
		"kubectl get publishedresources",
	)
}

func (s *twoClusters) editThere(ctx context.Context, bundle string) error {
	return s.types(ctx, `kubectl --kubeconfig=$EU_1 -n pki patch configmap roots --type=merge -p '{"data":{"bundle":"`+bundle+`"}}'`)
}

// copied waits until the copy has the bundle, and shows it.
func (s *twoClusters) copied(ctx context.Context, bundle string) error {
	return s.types(ctx, "kubectl -n shop wait --for=jsonpath='{.data.bundle}'="+bundle+" configmap/roots --timeout=60s")
}
