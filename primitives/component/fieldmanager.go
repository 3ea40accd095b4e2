package component

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// maxFieldManager is the limit of the API server, in bytes.
const maxFieldManager = 128

// fieldOwner is the field manager of the component. A name above the limit is replaced by its SHA-256 in hexadecimal.
func (c *Component) fieldOwner(owner OperatorCRD) string {
	name := c.fieldManager
	if name == "" {
		name = fmt.Sprintf("%s/%s/%s", owner.GetKind(), c.name, owner.GetUID())
	}
	if len(name) <= maxFieldManager {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}
