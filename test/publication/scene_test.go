package publication_test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/killed"
)

// scene is an object of the consumer, with a Secret of the consumer and one of the service.
type scene struct {
	*publishing

	operators *killed.Operator
	name      string
	given     bool // whether the object is in sync before the story
	act       func(*scene)
	change    func(*scene)
}

// Given implements killed.Scene.
func (s *scene) Given() {
	s.T.Helper()
	s.secret(member, s.there.Home, s.name, "first")
	if s.given {
		s.order()
		s.operators.Settles(s)
	}
}

// Act implements killed.Scene.
func (s *scene) Act() { s.act(s) }

// Change implements killed.Scene.
func (s *scene) Change() { s.change(s) }

// object returns the object of the consumer, without content.
func (s *scene) object() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": s.offered + "/v1", "kind": "Certificate"}}
	object.SetNamespace(s.there.Home)
	object.SetName(s.name)
	return object
}

// read returns the object as it is; nil: it does not exist.
func (s *scene) read() *unstructured.Unstructured {
	s.T.Helper()
	found, err := s.at(s.object()).Get(s.T.Context(), s.name, metav1.GetOptions{})
	require.NoError(s.T, client.IgnoreNotFound(err))
	if err != nil {
		return nil
	}
	return found
}

// order creates the object. A former one that is being deleted goes first.
func (s *scene) order() {
	s.T.Helper()
	if former := s.read(); former != nil {
		s.patch(former, `{"metadata": {"finalizers": null}}`)
	}
	s.create(s.name, `{secretName: `+s.name+`-tls, passwordName: `+s.name+`, days: 90}`)
}

// patchIfThere patches the object, if it is there to stay.
func (s *scene) patchIfThere(patch string) {
	s.T.Helper()
	if object := s.read(); object != nil && object.GetDeletionTimestamp() == nil {
		s.patch(object, patch)
	}
}

// cancel deletes the object, if it is there.
func (s *scene) cancel() { s.deleteIfThere(s.object()) }

func (s *scene) deleteIfThere(object *unstructured.Unstructured) {
	s.T.Helper()
	require.NoError(s.T, client.IgnoreNotFound(s.at(object).Delete(s.T.Context(), object.GetName(), metav1.DeleteOptions{})))
}

// report has the service set the status of the copy and write its Secret, if the copy is there.
func (s *scene) report(serial int) {
	s.T.Helper()
	for _, copied := range s.copies(s.object()) {
		status := fmt.Appendf(nil, `{"status": {"serial": %d}}`, serial)
		_, err := s.at(copied).Patch(s.T.Context(), copied.GetName(), types.MergePatchType, status, metav1.PatchOptions{}, "status")
		require.NoError(s.T, client.IgnoreNotFound(err))
		if name, _, _ := unstructured.NestedString(copied.Object, "spec", "secretName"); err == nil && name != "" {
			s.secret(hub, copied.GetNamespace(), name, fmt.Sprint("issued ", serial))
		}
	}
}

// Problems implements killed.Scene: what is not as the object of the consumer and its copy ask.
func (s *scene) Problems() (problems []string) {
	s.T.Helper()
	object, copies := s.read(), s.copies(s.object())
	if object == nil {
		if len(copies) > 0 {
			problems = append(problems, fmt.Sprintf("there are %d copies of no object", len(copies)))
		}
		return append(problems, s.leftSecrets()...)
	}
	if object.GetDeletionTimestamp() != nil {
		return []string{"the object is being deleted"}
	}
	if len(copies) != 1 || copies[0].GetAnnotations()[v1.AnnotationOriginUID] != string(object.GetUID()) {
		return []string{fmt.Sprintf("there are %d copies, or that of a former object", len(copies))}
	}
	return s.differences(object, copies[0])
}

// differences returns what of the object and its copy is not the same.
func (s *scene) differences(object, copied *unstructured.Unstructured) (problems []string) {
	s.T.Helper()
	value := func(of *unstructured.Unstructured, path ...string) any {
		found, _, _ := unstructured.NestedFieldNoCopy(of.Object, path...)
		return found
	}
	for _, path := range [][]string{{"spec", "days"}, {"status"}} {
		if here, there := value(copied, path...), value(object, path...); !reflect.DeepEqual(here, there) {
			problems = append(problems, fmt.Sprintf("%v is %v, and %v in the copy", path, there, here))
		}
	}
	password, _ := value(copied, "spec", "passwordName").(string)
	if here, there := s.contentIn(hub, copied.GetNamespace(), password), s.contentIn(member, s.there.Home, s.name); here != there {
		problems = append(problems, fmt.Sprintf("the password is %q, and %q in the cluster of the service", there, here))
	}
	issued, _ := value(copied, "spec", "secretName").(string)
	named, _ := value(object, "spec", "secretName").(string)
	if here, there := s.contentIn(hub, copied.GetNamespace(), issued), s.contentIn(member, s.there.Home, named); here != there {
		problems = append(problems, fmt.Sprintf("the issued Secret is %q, and %q in the cluster of the consumer", here, there))
	}
	return problems
}

// contentIn returns what is in the Secret; empty: it does not exist.
func (s *scene) contentIn(of *env.Environment, namespace, name string) string {
	s.T.Helper()
	found, err := clientset(of).CoreV1().Secrets(namespace).Get(s.T.Context(), name, metav1.GetOptions{})
	if name == "" || apierrors.IsNotFound(err) {
		return ""
	}
	require.NoError(s.T, err)
	return string(found.Data["key"])
}

// leftSecrets returns the Secrets in the cluster of the consumer that came from the service.
func (s *scene) leftSecrets() (problems []string) {
	s.T.Helper()
	list, err := clientset(member).CoreV1().Secrets(s.there.Home).List(s.T.Context(), metav1.ListOptions{})
	require.NoError(s.T, err)
	for i := range list.Items {
		if name := list.Items[i].Name; name != s.name && strings.HasPrefix(name, s.name) {
			problems = append(problems, "the Secret "+name+" is left")
		}
	}
	return problems
}
