package sim

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// maxBody is how many bytes of a request are read.
const maxBody = 3 << 20

func (c call) body() ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(c.Body, maxBody))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return content, nil
}

func (c call) isDryRun() bool { return c.URL.Query().Get("dryRun") == metav1.DryRunAll }

// manager returns the field manager of an update: that which the request names, or the program that sends it.
func (c call) manager() string {
	program, _, _ := strings.Cut(c.UserAgent(), "/")
	return cmp.Or(c.URL.Query().Get("fieldManager"), program)
}

// decoded returns the object in the body, which has to be of the kind of the request and at its place.
func (c call) decoded() (runtime.Object, key, error) {
	content, err := c.body()
	if err != nil {
		return nil, key{}, err
	}
	gvk := c.kind.gvk()
	object, found, err := scheme.Codecs.UniversalDeserializer().Decode(content, &gvk, nil)
	if err != nil {
		return nil, key{}, apierrors.NewBadRequest(err.Error())
	}
	if *found != gvk {
		return nil, key{}, apierrors.NewBadRequest(fmt.Sprintf("the object is a %s, and not a %s", found, gvk))
	}
	object.GetObjectKind().SetGroupVersionKind(gvk)
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, key{}, err
	}
	if c.at.namespace != "" && accessor.GetNamespace() == "" {
		accessor.SetNamespace(c.at.namespace)
	}
	at := key{accessor.GetNamespace(), cmp.Or(accessor.GetName(), c.at.name)}
	if at.namespace != c.at.namespace || c.at.name != "" && at.name != c.at.name {
		return nil, at, apierrors.NewBadRequest("the place of the object does not match that of the request")
	}
	return object, at, nil
}

func (c call) create() error {
	object, at, err := c.decoded()
	if err != nil {
		return err
	}
	accessor, err := meta.Accessor(object)
	switch {
	case err != nil:
		return err
	case at.name == "":
		return c.invalid(c.kind.kind, field.Required(field.NewPath("metadata", "name"), "name or generateName is required"))
	case accessor.GetResourceVersion() != "":
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: "resourceVersion should not be set on objects to be created",
		}}
	}
	return c.write(write{at: at, creates: true, change: func(empty runtime.Object, _ bool) (runtime.Object, error) {
		return c.kind.made(empty, object, c.manager()), nil
	}})
}

func (c call) update() error {
	object, at, err := c.decoded()
	if err != nil {
		return err
	}
	return c.write(write{at: at, updates: true, creates: c.kind.upserts, change: func(present runtime.Object, exists bool) (runtime.Object, error) {
		if !exists {
			return c.kind.made(present, object, c.manager()), nil
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		if c.kind.versioned && accessor.GetResourceVersion() == "" {
			return nil, c.invalid(c.kind.Resource, field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"))
		}
		return c.kind.fields.UpdateNoErrors(present, object, c.manager()), nil
	}})
}

func (c call) patch() error {
	content, err := c.body()
	if err != nil {
		return err
	}
	w := write{at: c.at, updates: true, patches: true}
	switch of := types.PatchType(c.Header.Get("Content-Type")); of {
	case types.ApplyYAMLPatchType:
		return c.apply(w, content)
	case types.MergePatchType, types.JSONPatchType:
		w.change = func(present runtime.Object, _ bool) (runtime.Object, error) {
			next, err := c.patched(of, present, content)
			if err != nil {
				return nil, err
			}
			return c.kind.fields.UpdateNoErrors(present, next, c.manager()), nil
		}
	default:
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnsupportedMediaType, Reason: metav1.StatusReasonUnsupportedMediaType,
			Details: &metav1.StatusDetails{},
			Message: "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, " +
				"application/merge-patch+json, application/apply-patch+yaml",
		}}
	}
	return c.write(w)
}

// apply applies the object, by the rules of server-side apply.
func (c call) apply(w write, content []byte) error {
	query := c.URL.Query()
	manager, force := query.Get("fieldManager"), query.Get("force") == "true"
	if manager == "" {
		return apierrors.NewInvalid(metav1.SchemeGroupVersion.WithKind("PatchOptions").GroupKind(), "", field.ErrorList{
			field.Required(field.NewPath("fieldManager"), "is required for apply patch"),
		})
	}
	applied := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &applied.Object); err != nil {
		return apierrors.NewBadRequest("error decoding YAML: " + err.Error())
	}
	if applied.GetName() != "" && applied.GetName() != c.at.name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", applied.GetName(), c.at.name))
	}
	w.creates = true
	w.change = func(present runtime.Object, exists bool) (runtime.Object, error) {
		object, err := c.kind.fields.Apply(present, applied.DeepCopy(), manager, force)
		if err != nil {
			return nil, err
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		accessor.SetNamespace(c.at.namespace)
		accessor.SetName(c.at.name)
		object.GetObjectKind().SetGroupVersionKind(c.kind.gvk())
		if exists {
			return object, nil
		}
		if uid := accessor.GetUID(); uid != "" {
			return nil, c.conflict(fmt.Sprintf("Precondition failed: UID in precondition: %s, UID in object meta: ", uid))
		}
		setDefaults(object)
		complete(object)
		return object, nil
	}
	return c.write(w)
}

func (c call) conflict(why string) error {
	return apierrors.NewConflict(c.kind.GroupResource(), c.at.name, fmt.Errorf("%s", why))
}

func (c call) invalid(what string, errs ...*field.Error) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: c.kind.Group, Kind: what}, c.at.name, errs)
}

// write makes the change, and answers with the object.
func (c call) write(w write) error {
	w.kind, w.dryRun = c.kind, c.isDryRun()
	written, code, err := c.cluster.store.write(w)
	if err != nil {
		return err
	}
	c.answer.object(code, c.answer.view(written))
	return nil
}

func (c call) delete() error {
	content, err := c.body()
	if err != nil {
		return err
	}
	options := &metav1.DeleteOptions{}
	if len(content) > 0 {
		of := schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(content, &of, options); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
	}
	dryRun := c.isDryRun() || len(options.DryRun) > 0
	present, marked, err := c.cluster.store.delete(deletion{c.kind, c.at, options.Preconditions, dryRun})
	if err != nil {
		return err
	}
	if marked {
		c.answer.object(http.StatusOK, c.answer.view(present))
		return nil
	}
	c.answer.object(http.StatusOK, &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: c.at.name, Group: c.kind.Group, Kind: c.kind.Resource, UID: present.meta.GetUID()},
	})
	return nil
}
