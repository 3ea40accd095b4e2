package property_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// fixes chooses whether a source is immutable once it is written. It uses numbers of its own, too.
func (d *driver) fixes(kind schema.GroupVersionKind) bool {
	rng := rand.New(rand.NewPCG(d.seed+11, uint64(len(d.history))))
	return kind != widget && rng.IntN(3) == 0
}

// isFixed tells whether the object is a source or a foreign object that is immutable.
func (d *driver) isFixed(object *unstructured.Unstructured) bool {
	noted, isForeign := d.foreign[oracle.PlaceOf(object)]
	return isForeign && noted.Object["immutable"] == true
}

// keepsFixed chooses whether an immutable source keeps its content. Otherwise it is replaced. It uses numbers of its own, too.
func (d *driver) keepsFixed() bool {
	return rand.New(rand.NewPCG(d.seed+12, uint64(len(d.history)))).IntN(2) == 0
}

// relabel changes the label and the consent of a source, and not its content.
func (d *driver) relabel(source *unstructured.Unstructured, color, consent string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s},"labels":{"color":%q}}}`, v1.AnnotationProjectable, consent, color)
	err := d.patch(source, patch)
	if err == nil {
		d.foreign.Note(source)
	}
	return err
}

// fix makes the copies of a name immutable, as third parties may. If they change these, too, nobody can repair them.
func (d *driver) fix() {
	name, changes, fixed := pick(d, places), d.chance(50), 0
	for _, role := range roles {
		for _, kind := range []schema.GroupVersionKind{configMap, secret} {
			object := d.at(kind, role, name)
			if d.isForeign(object) || d.ending[role] {
				continue
			}
			patch := `{"immutable":true}`
			if changes {
				entries, theirs := field(kind, oracle.TheirValue)
				patch = fmt.Sprintf(`{"immutable":true,%q:{"color":%q}}`, entries, theirs)
			}
			if err := d.patch(object, patch); err == nil {
				fixed++
			} else if !isFixed(err) {
				require.NoError(d.t, client.IgnoreNotFound(err))
			}
		}
	}
	d.did(nil, "make copies named %s immutable, and change them: %t (%d)", name, changes, fixed)
}

// isFixed tells whether the API server refuses to change an object because it is immutable.
func isFixed(err error) bool {
	return apierrors.IsInvalid(err) && strings.Contains(err.Error(), "field is immutable when `immutable` is set")
}

// onImmutable chooses what becomes of copies that cannot be changed, or that the copies of immutable objects are not immutable. It uses numbers of its
// own, too.
func (d *driver) onImmutable(kind string, policy *v1.Policy, content *v1.Content) {
	rng := rand.New(rand.NewPCG(d.seed+13, uint64(len(d.history))))
	if rng.IntN(3) == 0 {
		policy.OnImmutable = v1.ImmutableRecreate
	}
	if kind != widget.Kind && rng.IntN(6) == 0 {
		content.Fields.Exclude = []string{"immutable"}
	}
}
