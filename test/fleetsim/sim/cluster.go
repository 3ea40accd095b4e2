package sim

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Cluster is one cluster. It is safe for concurrent use.
type Cluster struct {
	// Name is unique among the clusters of a Fleet.
	Name string

	store     *store
	faults    *faults
	authority []byte

	mu      sync.Mutex
	token   string
	latency time.Duration
	counted map[string]int
	worked  time.Time
}

func newCluster(name string, authority []byte) (*Cluster, error) {
	c := &Cluster{Name: name, store: newStore(), authority: authority, token: string(uuid.NewUUID()), counted: map[string]int{}}
	var err error
	if c.faults, err = newFaults(c); err != nil {
		return nil, err
	}
	for _, namespace := range []string{"kube-system", "default"} {
		if err := c.CreateNamespace(namespace, nil); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Server returns the URL of the cluster.
func (c *Cluster) Server() string {
	return (&url.URL{Scheme: "https", Host: c.faults.Addr().String()}).String()
}

// Config returns how the cluster is reached, without throttling.
func (c *Cluster) Config() *rest.Config {
	return &rest.Config{
		Host: c.Server(), BearerToken: c.currentToken(), QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: c.authority},
	}
}

// KubeConfig returns the same as a kubeconfig.
func (c *Cluster) KubeConfig() ([]byte, error) {
	const name = "simulated"
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{name: {Server: c.Server(), CertificateAuthorityData: c.authority}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{name: {Token: c.currentToken()}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		CurrentContext: name,
	})
}

// Identity returns the uid of the namespace kube-system.
func (c *Cluster) Identity() types.UID {
	found, _ := c.store.get(namespaces, key{name: "kube-system"})
	return found.meta.GetUID()
}

// RotateToken replaces the token that is accepted.
func (c *Cluster) RotateToken() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.token = string(uuid.NewUUID())
}

func (c *Cluster) currentToken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// SetLatency has each request take so long before it is looked at.
func (c *Cluster) SetLatency(latency time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latency = latency
}

// Refuse ends all connections, and accepts none until Heal is called.
func (c *Cluster) Refuse() { c.faults.refuse() }

// Hang keeps all connections open, accepts new ones, and neither reads nor writes there until Heal is called, as if no packet arrived.
func (c *Cluster) Hang() { c.faults.hang() }

// Heal ends what Refuse or Hang began.
func (c *Cluster) Heal() { c.faults.heal() }

// Forget has watches be refused that would go on from a version that is older than the present one, as after a compaction.
func (c *Cluster) Forget() { c.store.forget() }

// Connections returns how many connections to the cluster are open.
func (c *Cluster) Connections() int { return c.faults.count() }

// Requests returns how many requests of each sort the cluster has served, such as "patch configmaps", or "GET /version" for what is no resource.
func (c *Cluster) Requests() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counted)
}

// Worked returns when the last request arrived that was not for a lease.
func (c *Cluster) Worked() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.worked
}

// ForgetRequests begins to count anew.
func (c *Cluster) ForgetRequests() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.counted)
}

func (c *Cluster) note(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counted[what]++
	if !strings.HasSuffix(what, " "+leases.Resource) {
		c.worked = time.Now()
	}
}

// Observe has the function be called for each change of an object from now on, in their order. It must not block.
func (c *Cluster) Observe(do func(watch.EventType, metav1.Object)) { c.store.observe(do) }

// delay waits for as long as a request takes. It returns false if the client has given up.
func (c *Cluster) delay(ctx context.Context) bool {
	c.mu.Lock()
	latency := c.latency
	c.mu.Unlock()
	if latency == 0 {
		return true
	}
	timer := time.NewTimer(latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// isKnown reports whether the request has the token.
func (c *Cluster) isKnown(request *http.Request) bool {
	return request.Header.Get("Authorization") == "Bearer "+c.currentToken()
}
