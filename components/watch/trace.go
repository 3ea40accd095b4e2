package watch

import (
	"encoding/json"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// maxTrace is how many events are remembered. A stream that has seen more since the witness was written lists again after a cut.
const maxTrace = 1000

// sight is an event that was seen. It holds nothing of the object.
type sight struct {
	version string
	print   uint64
}

// sightOf returns what is remembered of an event. Two histories may give one version to different changes; so the whole metadata counts.
func sightOf(event watch.Event) (sight, bool) {
	object, err := meta.Accessor(event.Object)
	if err != nil {
		return sight{}, false
	}
	encoded, err := json.Marshal(event.Object)
	if err != nil {
		return sight{}, false
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(event.Type)) // a hash takes all
	_, _ = sum.Write(encoded)            // likewise
	return sight{version: object.GetResourceVersion(), print: sum.Sum64()}, true
}

// trace is what a stream has seen that the witness does not prove.
//
// Example: the witness was written at version 990, and the stream has seen an object deleted at version 1005. Then the control plane is restored
// from a backup of version 1000, in which the object is there. The witness is as it was. But a watch from version 990 does not send the deletion.
type trace struct {
	base    string // the version of the list, or of the last event that is not remembered; empty: there was no list
	version string // of the witness when something was last received; empty: there was none
	chain   uint64
	seen    []sight // after that version
	broken  bool    // the stream has to list
}

// begin notes that the stream goes on from a list.
func (t *trace) begin(version string) {
	if t.base == "" {
		t.base = version
	}
}

// receive notes that something was received after the witness was written at that version: what was seen up to that is in the same history.
func (t *trace) receive(version string, chain uint64) {
	t.version, t.chain = version, chain
	kept := 0
	for kept < len(t.seen) && version != "" && !IsNewer(t.seen[kept].version, version) {
		kept++
	}
	t.seen = t.seen[kept:]
}

// add remembers an event.
func (t *trace) add(event watch.Event) {
	sight, ok := sightOf(event)
	t.broken = t.broken || !ok
	t.seen = append(t.seen, sight)
	if len(t.seen) > maxTrace {
		t.base = t.seen[0].version
		t.seen = t.seen[1:]
	}
}

// proof returns what has to be shown before a watch goes on. It is false if nothing can show that the history is the one that was seen.
func (t *trace) proof() (*proof, bool) {
	if t.broken || t.base == "" || t.version == "" || IsNewer(t.base, t.version) {
		return nil, false
	}
	return &proof{version: t.version, chain: t.chain, seen: append([]sight(nil), t.seen...)}, true
}

// isSynced reports whether the event says that the watch has sent all that there is.
func isSynced(event watch.Event) bool {
	object, err := meta.Accessor(event.Object)
	return err == nil && event.Type == watch.Bookmark && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
}

func versionOfEvent(event watch.Event) string {
	object, err := meta.Accessor(event.Object)
	if err != nil {
		return ""
	}
	return object.GetResourceVersion()
}
