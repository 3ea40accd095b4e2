package watch

import "k8s.io/apimachinery/pkg/util/resourceversion"

// IsNewer reports whether the version was written after the known one. Versions that cannot be compared come from an API server that
// orders them in another way; then the one that arrives later counts as newer.
func IsNewer(version, known string) bool {
	if known == "" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(version, known)
	return err != nil && version != known || order > 0
}
