package sim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

var (
	asJSON     = jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, jsonserializer.SerializerOptions{})
	asProtobuf = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
)

// encode returns the object in that format. One that is no object of a cluster is always whole.
func (f format) encode(object runtime.Object) ([]byte, error) {
	var out bytes.Buffer
	var serializer runtime.Encoder = asJSON
	if f.protobuf {
		serializer = asProtobuf
	}
	err := serializer.Encode(object, &out)
	return out.Bytes(), err
}

// view returns the object as the format has it.
func (f format) view(object *stored) runtime.Object {
	if !f.metadata {
		return object.object
	}
	return partial(object)
}

func partial(object *stored) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "PartialObjectMetadata"}, ObjectMeta: metadataOf(object),
	}
}

// metadataOf returns the metadata of the object, which must not be changed.
func metadataOf(object *stored) metav1.ObjectMeta {
	from := object.meta
	return metav1.ObjectMeta{
		Name: from.GetName(), GenerateName: from.GetGenerateName(), Namespace: from.GetNamespace(), UID: from.GetUID(),
		ResourceVersion: from.GetResourceVersion(), Generation: from.GetGeneration(), CreationTimestamp: from.GetCreationTimestamp(),
		DeletionTimestamp: from.GetDeletionTimestamp(), DeletionGracePeriodSeconds: from.GetDeletionGracePeriodSeconds(),
		Labels: from.GetLabels(), Annotations: from.GetAnnotations(), OwnerReferences: from.GetOwnerReferences(),
		Finalizers: from.GetFinalizers(), ManagedFields: from.GetManagedFields(),
	}
}

// encodeEvent returns the event of a watch in that format, with its frame.
func (f format) encodeEvent(kind watch.EventType, object runtime.Object) ([]byte, error) {
	content, err := f.encode(object)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: bytes.TrimSpace(content)}}
	if !f.protobuf {
		var out bytes.Buffer
		out.WriteString(`{"type":"` + event.Type + `","object":`)
		out.Write(event.Object.Raw)
		out.WriteString("}\n")
		return out.Bytes(), nil
	}
	event.Object.Raw = content
	body, err := event.Marshal()
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), err
}

// answer is an answer that is being written.
type answer struct {
	http.ResponseWriter
	format
}

// object writes an object.
func (a answer) object(code int, object runtime.Object) {
	content, err := a.encode(object)
	if err != nil {
		a.error(err)
		return
	}
	a.Header().Set("Content-Type", a.contentType())
	a.WriteHeader(code)
	_, _ = a.Write(content) // the client has gone
}

// error writes why a request failed.
func (a answer) error(err error) {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		known = apierrors.NewInternalError(err)
	}
	status := known.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	a.object(int(status.Code), &status)
}
