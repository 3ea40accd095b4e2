package fleet

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/apierr"
)

// system is the namespace whose uid identifies a cluster. Every kube-apiserver creates it, and nobody can delete it.
const system = metav1.NamespaceSystem

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// uid is what the API server gives to every object.
var uid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// errNoUID does not quote what the other cluster says.
var errNoUID = errors.New("the namespace kube-system has no uid")

// Ask returns the identity of the cluster behind the client: the uid of its namespace kube-system. It is empty if the cluster has
// none, such as a workspace of kcp. Any error says that nothing is known.
func Ask(ctx context.Context, client metadata.Interface) (types.UID, error) {
	found, err := client.Resource(namespaces).Get(ctx, system, metav1.GetOptions{})
	if apierr.IsObjectNotFound(err, system) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !uid.MatchString(string(found.UID)) {
		return "", errNoUID
	}
	return found.UID, nil
}

// Identity makes sure that a member is the cluster that it was before. Names, addresses and certificates outlive a cluster that is replaced; the
// uid of its namespace kube-system does not. It is safe for concurrent use.
type Identity struct {
	ask   func(context.Context) (types.UID, error)
	clock clock.PassiveClock

	mu     sync.Mutex
	pinned types.UID
	proven time.Time // when the cluster was asked that had the pinned identity; zero: never
}

// NewIdentity returns the identity of a cluster that answers the function. It is pinned, unless it is empty: what the cluster says first is
// pinned then.
func NewIdentity(pinned types.UID, clock clock.PassiveClock, ask func(context.Context) (types.UID, error)) *Identity {
	return &Identity{ask: ask, clock: clock, pinned: pinned}
}

// Pin makes this the identity that the cluster has to have; empty: that which it says next.
func (i *Identity) Pin(identity types.UID) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pinned != identity {
		i.pinned, i.proven = identity, time.Time{}
	}
}

// Pinned returns the identity that the cluster has to have; empty: none is known.
func (i *Identity) Pinned() types.UID {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.pinned
}

// Sure returns nil if the cluster has the identity that it has to have. It asks, unless the last answer that said so is younger than the
// duration. An answer that says otherwise is an IdentityError; any other error says that nothing is known.
func (i *Identity) Sure(ctx context.Context, within time.Duration) error {
	if i.isProven(within) {
		return nil
	}
	asked := i.clock.Now()
	found, err := i.ask(ctx)
	if err != nil {
		return err
	}
	return i.compare(found, asked)
}

func (i *Identity) isProven(within time.Duration) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return !i.proven.IsZero() && i.clock.Now().Sub(i.proven) < within
}

// compare compares what the cluster says with what is pinned.
func (i *Identity) compare(found types.UID, asked time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.pinned == "" {
		i.pinned = found
	}
	if !matches(i.pinned, found) {
		i.proven = time.Time{}
		return &IdentityError{Pinned: i.pinned, Found: found}
	}
	i.proven = asked
	return nil
}

// matches reports whether a cluster that says found may be the pinned one. Of one without the namespace, a person says which one it is, in
// words that are not a uid.
func matches(pinned, found types.UID) bool {
	if found == "" {
		return pinned != "" && !uid.MatchString(string(pinned))
	}
	return pinned == found
}
