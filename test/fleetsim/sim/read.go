package sim

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// bookmarkTime is how often a watch is told of the present revision, as by kube-apiserver.
const bookmarkTime = time.Minute

// page is where a list goes on.
type page struct {
	Namespace, Name string
	Revision        int64
}

// selection returns which objects the request selects.
func (c call) selection() (selection, error) {
	s := selection{kind: c.kind, namespace: c.at.namespace}
	query := c.URL.Query()
	var err error
	if s.labels, err = labels.Parse(query.Get("labelSelector")); err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	if s.fields, err = fields.ParseSelector(query.Get("fieldSelector")); err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	if c.at.name != "" {
		s.fields = fields.AndSelectors(s.fields, fields.OneTermEqualSelector(metav1.ObjectNameField, c.at.name))
	}
	return s, nil
}

func (c call) list() error {
	wanted, err := c.selection()
	if err != nil {
		return err
	}
	found, revision := c.cluster.store.list(wanted)
	listed := metav1.ListMeta{}
	query := c.URL.Query()
	if token := query.Get("continue"); token != "" {
		from, err := pageOf(token)
		if err != nil {
			return err
		}
		revision = from.Revision
		after := key{from.Namespace, from.Name}
		found = slices.DeleteFunc(found, func(object *stored) bool { return object.key().compare(after) <= 0 })
	}
	if limit, _ := strconv.Atoi(query.Get("limit")); limit > 0 && len(found) > limit {
		if wanted.labels.Empty() && wanted.fields.Empty() {
			listed.RemainingItemCount = new(int64(len(found) - limit))
		}
		found = found[:limit]
		last := found[limit-1].key()
		listed.Continue = page{last.namespace, last.name, revision}.token()
	}
	listed.ResourceVersion = strconv.FormatInt(revision, 10)
	list, err := c.listOf(found, listed)
	if err != nil {
		return err
	}
	c.answer.object(http.StatusOK, list)
	return nil
}

func (p page) token() string {
	content, err := json.Marshal(p)
	if err != nil { // it has texts and a number
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(content)
}

func pageOf(token string) (p page, _ error) {
	content, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(content, &p)
	}
	if err != nil {
		return p, apierrors.NewBadRequest("continue key is not valid")
	}
	return p, nil
}

// listOf returns a list of the objects.
func (c call) listOf(found []*stored, listed metav1.ListMeta) (runtime.Object, error) {
	if c.answer.metadata {
		list := &metav1.PartialObjectMetadataList{
			TypeMeta: metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "PartialObjectMetadataList"}, ListMeta: listed,
			Items: make([]metav1.PartialObjectMetadata, len(found)),
		}
		for i, object := range found {
			list.Items[i] = *partial(object)
		}
		return list, nil
	}
	version := c.kind.GroupVersion().WithKind(c.kind.kind + "List")
	list, err := scheme.Scheme.New(version)
	if err != nil {
		return nil, err
	}
	list.GetObjectKind().SetGroupVersionKind(version)
	items := make([]runtime.Object, len(found))
	for i, object := range found {
		items[i] = object.object.DeepCopyObject()
		items[i].GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // that of the list says it
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(listed.ResourceVersion)
	accessor.SetContinue(listed.Continue)
	accessor.SetRemainingItemCount(listed.RemainingItemCount)
	return list, meta.SetList(list, items)
}

// stream is a watch that is open.
type stream struct {
	call

	wanted   selection
	revision int64 // up to which the client knows all
	ends     <-chan time.Time
	marks    *time.Ticker // nil: the client wants no bookmarks
	flusher  http.Flusher
}

func (c call) watch() error {
	wanted, err := c.selection()
	if err != nil {
		return err
	}
	flusher, ok := c.answer.ResponseWriter.(http.Flusher)
	if !ok {
		return fmt.Errorf("%T cannot flush", c.answer.ResponseWriter)
	}
	query := c.URL.Query()
	s := &stream{call: c, wanted: wanted, flusher: flusher}
	if seconds, _ := strconv.Atoi(query.Get("timeoutSeconds")); seconds > 0 {
		timer := time.NewTimer(time.Duration(seconds) * time.Second)
		defer timer.Stop()
		s.ends = timer.C
	}
	contentType := c.answer.contentType()
	if c.answer.protobuf {
		contentType += ";stream=watch"
	}
	c.answer.Header().Set("Content-Type", contentType)
	c.answer.WriteHeader(http.StatusOK)
	flusher.Flush()
	if query.Get("allowWatchBookmarks") == "true" {
		s.marks = time.NewTicker(bookmarkTime)
		defer s.marks.Stop()
	}
	_ = s.run(query.Get("resourceVersion"), query.Get("sendInitialEvents") == "true") // the client has gone
	return nil
}

// run sends events until the watch or the client ends.
func (s *stream) run(version string, initial bool) error {
	asked, err := strconv.ParseInt(version, 10, 64)
	switch {
	case initial || version == "" || version == "0":
		err = s.sendPresent(initial)
	case err == nil:
		s.revision = asked
	}
	for err == nil {
		var more <-chan struct{}
		if more, err = s.sendChanges(); err != nil || more == nil {
			return err
		}
		err = s.wait(more)
	}
	return err
}

// sendPresent sends the present objects, and a bookmark that says so if it is asked for.
func (s *stream) sendPresent(marked bool) error {
	found, revision := s.cluster.store.list(s.wanted)
	s.revision = revision
	for _, object := range found {
		if err := s.send(watch.Added, s.answer.view(object)); err != nil {
			return err
		}
	}
	if !marked {
		return nil
	}
	return s.mark(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
}

// sendChanges sends what has happened since, and returns what is closed when more happens; nil: the watch has ended.
func (s *stream) sendChanges() (<-chan struct{}, error) {
	events, upTo, more, known := s.cluster.store.since(s.wanted, s.revision)
	if !known {
		gone := apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d", s.revision)).Status()
		gone.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		return nil, s.send(watch.Error, &gone)
	}
	for _, event := range events {
		if err := s.send(event.EventType, s.answer.view(event.object)); err != nil {
			return nil, err
		}
	}
	s.revision = max(s.revision, upTo)
	return more, nil
}

// wait returns when there is more to send, or an error when the watch ends.
func (s *stream) wait(more <-chan struct{}) error {
	var due <-chan time.Time
	if s.marks != nil {
		due = s.marks.C
	}
	for {
		select {
		case <-more:
			return nil
		case <-due:
			if err := s.mark(nil); err != nil {
				return err
			}
		case <-s.ends:
			return http.ErrHandlerTimeout
		case <-s.context().Done():
			return s.context().Err()
		}
	}
}

// mark sends a bookmark of the revision up to which the client knows all.
func (s *stream) mark(annotations map[string]string) error {
	object, err := s.wanted.kind.newObject()
	if err != nil {
		return err
	}
	bookmark, err := at(s.revision, object)
	if err != nil {
		return err
	}
	bookmark.meta.SetAnnotations(annotations)
	return s.send(watch.Bookmark, s.answer.view(bookmark))
}

func (s *stream) send(kind watch.EventType, object runtime.Object) error {
	content, err := s.answer.encodeEvent(kind, object)
	if err != nil {
		return err
	}
	if _, err := s.answer.Write(content); err != nil {
		return err
	}
	s.flusher.Flush()
	return nil
}
