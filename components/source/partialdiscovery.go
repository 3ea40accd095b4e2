package source

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// lookUp finds the kind by discovery. It does not call a kind missing if discovery is incomplete: the API server lists a version whose
// extension API server does not answer, but not the kinds that this version has.
func (r *Resolver) lookUp(ctx context.Context, wanted schema.GroupVersionKind) (Kind, error) {
	kind, err := r.find(ctx, wanted)
	if !IsKindError(err) {
		return kind, err
	}
	_, _, failure := r.discovery.ServerGroupsAndResourcesWithContext(ctx)
	silent, partly := discovery.GroupDiscoveryFailedErrorGroups(failure)
	if failure != nil && !partly {
		return Kind{}, fmt.Errorf("discover the kinds: %w", failure)
	}
	for version, cause := range silent {
		if version.Group == wanted.Group && (wanted.Version == "" || wanted.Version == version.Version) {
			return Kind{}, fmt.Errorf("discover the kinds of %s: %w", version, cause)
		}
	}
	return kind, err
}
