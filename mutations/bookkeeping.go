package mutations

import (
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/unstructured"
)

const (
	// lastApplied holds the whole object as its author applied it: on a copy it would tell the content of a Secret, and
	// count against the limit for annotations.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// leaderRecord is a lock that somebody holds on the source itself, and renews every few seconds.
	leaderRecord = "control-plane.alpha.kubernetes.io/leader"
)

// dropSourceBookkeeping drops what others note on the source. Consent and ownership are among it: a copy of a copy has
// one owner, and is projectable only if somebody says so on the copy.
func dropSourceBookkeeping() unstructured.Mutation {
	return always(DropSourceBookkeeping, func(content map[string]any) {
		removeMarks(content, func(key, _ string) bool {
			return key == lastApplied || key == leaderRecord || reserved(key)
		})
	})
}

// reserved reports whether a key is Projection's own.
func reserved(key string) bool { return strings.HasPrefix(key, v1.Domain+"/") }
