package property_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// field returns the field of the kind that holds entries, and how an entry is written.
func field(kind schema.GroupVersionKind, value string) (string, string) {
	switch kind {
	case widget:
		return "spec", value
	case secret:
		return "data", base64.StdEncoding.EncodeToString([]byte(value))
	default:
		return "data", value
	}
}

// putNamespace creates a namespace, or gives it another label.
func (d *driver) putNamespace() {
	role, group := pick(d, roles), pick(d, groups)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name(role), Labels: d.labels()}}
	namespace.Labels[groupLabel] = group
	err := d.client.Create(context.Background(), namespace)
	switch {
	case err == nil:
		delete(d.ending, role)
	case d.ending[role]: // it has not ended yet
	case apierrors.IsAlreadyExists(err):
		err = d.patch(namespace, fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, groupLabel, group))
	}
	d.did(err, "put namespace %s group=%s", role, group)
}

func (d *driver) deleteNamespace() {
	role := pick(d, roles)
	d.ending[role] = true
	for at := range d.foreign {
		if at.Namespace == d.name(role) {
			d.leaving[at] = d.foreign[at]
			delete(d.foreign, at)
		}
	}
	err := d.client.Delete(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name(role)}})
	d.did(err, "delete namespace %s", role)
}

// restoreNamespaces creates the namespaces again in which rules that are being deleted have been left behind. An API server that has just
// started, and does not serve rules yet, lets a namespace go that has rules in it. Then it refuses every update of these rules, also the
// one that removes the finalizer, until somebody creates the namespace.
func (d *driver) restoreNamespaces(state oracle.State) {
	for _, rule := range state.Rules {
		name := rule.GetNamespace()
		if state.Namespaces[name] != nil || name == "" || rule.GetDeletionTimestamp() == nil {
			continue
		}
		role := strings.TrimPrefix(name, d.name(""))
		delete(d.ending, role)
		for at, object := range d.leaving {
			if _, left := state.Objects[at]; left && at.Namespace == name {
				d.foreign[at] = object
				delete(d.leaving, at)
			}
		}
		err := d.client.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: d.labels()}})
		d.did(err, "create the namespace %s again, in which %s was left behind", role, rule.GetName())
	}
}

// putSource creates a source, or changes what is in it and whether it consents.
func (d *driver) putSource() {
	kind, role, name, color, more := pick(d, kinds), pick(d, homes), pick(d, sources), pick(d, colors), d.chance(50)
	consent := pick(d, []string{`"true"`, `"true"`, `"true"`, `"true"`, `"true"`, `"false"`, `null`})
	times := pick(d, []int{1, 1, 1, 20})
	if consent == `"true"` {
		consent = d.permission()
	}
	d.did(d.write(kind, role, name, color, more, consent, times),
		"put source %s %s/%s color=%s more=%t consent=%s, %d times", kind.Kind, role, name, color, more, consent, times)
}

func (d *driver) write(kind schema.GroupVersionKind, role, name, color string, more bool, consent string, times int) error {
	source := d.at(kind, role, name)
	if d.ending[role] {
		return nil
	}
	if d.isFixed(source) && d.keepsFixed() {
		return d.relabel(source, color, consent)
	}
	if d.isFixed(source) {
		if err := d.client.Delete(context.Background(), source); err != nil {
			return err
		}
		delete(d.foreign, oracle.PlaceOf(source))
	}
	if !d.isForeign(source) {
		source.SetLabels(d.labels())
		if said, err := strconv.Unquote(consent); err == nil { // from the beginning: who says nothing consents in permissive mode
			source.SetAnnotations(map[string]string{v1.AnnotationProjectable: said})
		}
		if err := d.client.Create(context.Background(), source); err != nil {
			return err // a copy is there, or the namespace is not
		}
	}
	for i := range times {
		entries, value := field(kind, color)
		_, number := field(kind, strconv.Itoa(i))
		size := "null"
		if more {
			size = fmt.Sprintf("%q", value)
		}
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s,%q:%s,"note":%q},"labels":{"color":%q}},%q:{"color":%q,"size":%s,"number":%q}}`,
			v1.AnnotationProjectable, consent, v1.AnnotationPublicKeys, d.publicKeys(kind), color, color, entries, value, size, number)
		if err := d.patch(source, patch); err != nil {
			return err
		}
	}
	if d.fixes(kind) {
		if err := d.patch(source, `{"immutable":true}`); err != nil {
			return err
		}
	}
	d.foreign.Note(source)
	return nil
}

// permission chooses in which namespaces the owner of a source permits copies. It uses numbers of its own, as content does.
func (d *driver) permission() string {
	rng := rand.New(rand.NewPCG(d.seed, ^uint64(len(d.history))))
	permissions := []string{
		`true`, `true`, `true`, `namespaces: group=red`, `namespaces: group in (red,blue)`, `namespaces: group notin (blue), world=` + d.id,
		`namespaces: kubernetes.io/metadata.name in (` + d.name("n1") + `,` + d.name("n3") + `,` + d.name("n4") + `)`, `namespaces: !absent`,
		`namespaces: group in red`, `Namespaces: group=red`,
	}
	return strconv.Quote(permissions[rng.IntN(len(permissions))])
}

// publicKeys returns the keys of a source that its owner declares public. It uses numbers of its own, as content does.
func (d *driver) publicKeys(kind schema.GroupVersionKind) string {
	if kind != secret {
		return "null"
	}
	rng := rand.New(rand.NewPCG(d.seed, uint64(len(d.history))))
	declared := []string{`"color,size"`, `"size, color"`, `"color,size,number"`, `"color"`, "null"}
	return declared[rng.IntN(len(declared))]
}

// deleteForeign deletes a source or a foreign object.
func (d *driver) deleteForeign() {
	object := d.at(pick(d, kinds), pick(d, roles), pick(d, places))
	if !d.isForeign(object) {
		d.did(nil, "no source or foreign object %s to delete", oracle.PlaceOf(object))
		return
	}
	d.did(d.client.Delete(context.Background(), object), "delete source or foreign object %s", oracle.PlaceOf(object))
	delete(d.foreign, oracle.PlaceOf(object))
}

// putStranger creates an object that is in the way, with the marks of somebody who is not there.
func (d *driver) putForeign() {
	role := pick(d, roles)
	foreign := d.at(pick(d, kinds), role, pick(d, places))
	forged := pick(d, []map[string]string{
		nil,
		{v1.AnnotationOwnedByProjection: d.name(role) + "/ghost"},
		{v1.AnnotationOwnedByProjection: d.name("elsewhere") + "/p1", v1.AnnotationContentHash: "forged"},
		{v1.AnnotationOwnedByClusterProjection: d.name("ghost")},
		{v1.AnnotationOwnedByProjection: "", v1.AnnotationOwnedByClusterProjection: ""},
		{v1.AnnotationOwnedByProjection: d.name(role) + "/p1", v1.AnnotationPlace: d.name("elsewhere") + "/it"},
		{v1.AnnotationOwnedByClusterProjection: d.name("c1"), v1.AnnotationPlace: d.name(role) + "/elsewhere"},
	})
	foreign.SetAnnotations(forged)
	foreign.SetLabels(d.labels())
	if d.chance(50) {
		foreign.SetLabels(map[string]string{
			worldLabel: d.id, v1.LabelOwnedByProjectionUID: "forged", v1.LabelOwnedByClusterProjectionUID: "forged",
		})
	}
	if d.ending[role] || d.isForeign(foreign) {
		d.did(nil, "no place for a foreign object %s", oracle.PlaceOf(foreign))
		return
	}
	err := d.client.Create(context.Background(), foreign)
	if err == nil {
		d.foreign.Note(foreign)
	}
	d.did(err, "put foreign object %s %v %v", oracle.PlaceOf(foreign), forged, foreign.GetLabels())
}
