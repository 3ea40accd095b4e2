package watch

import "k8s.io/apimachinery/pkg/util/resourceversion"

// IsNewer tells whether the version was written after the known one. Versions that cannot be compared come from an API
// server that orders them in another way; there, what arrives later counts.
func IsNewer(version, known string) bool {
	if known == "" {
		return true
	}
	order, err := resourceversion.CompareResourceVersion(version, known)
	return err != nil && version != known || order > 0
}
