package destination

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
)

// fingerprint is equal for two worlds if nothing can tell them apart: versions and uids count by their order alone.
func (m *model) fingerprint() uint64 {
	f := &fingerprint{bytes: make([]byte, 0, 512), versions: make([]int, 0, 32)}
	f.object(&m.object)
	for _, event := range m.pending {
		f.object(&event.object)
		f.add(event.list, event.by, event.quiet)
	}
	for _, r := range m.requests[ruleA:] {
		f.add(r.underWay, r.deletes, r.retains, r.hash, r.quiet, r.enqueued, r.done, r.conflict, r.missing)
		f.state(r.on)
		f.state(r.state)
	}
	for _, b := range m.beliefs[ruleA:] {
		f.add(b.inSync, b.calm, b.failed, b.changed && b.failed != "")
	}
	f.version(m.index.lastVersion)
	f.add(m.given[ruleA], m.given[ruleB])
	if e, known := m.index.entries[at]; known {
		f.state(e.State)
		f.add(e.desired, e.desiredBy.Name, int(e.fields), e.inProgress, e.written)
	}
	if of, known := m.index.repairs.copies[at]; known {
		f.add(of.count, of.delayed, of.renewed, of.undone, of.cause.deleted)
	}
	return maphash.Bytes(seed, f.ranked())
}

var seed = maphash.MakeSeed()

// fingerprint is a sequence of values, and the versions among them.
type fingerprint struct {
	bytes    []byte
	versions []int
}

func (f *fingerprint) add(values ...any) {
	for _, value := range values {
		switch value := value.(type) {
		case bool:
			f.bytes = strconv.AppendBool(f.bytes, value)
		case int:
			f.bytes = strconv.AppendInt(f.bytes, int64(value), 10)
		case ruleNo:
			f.bytes = strconv.AppendInt(f.bytes, int64(value), 10)
		case string:
			f.bytes = append(f.bytes, value...)
		}
		f.bytes = append(f.bytes, ' ')
	}
}

func (f *fingerprint) version(version string) {
	number, _ := strconv.Atoi(version)
	f.versions = append(f.versions, number)
}

func (f *fingerprint) object(o *modelObject) {
	f.add(o.exists)
	f.version(strconv.Itoa(o.version))
	if o.exists {
		f.state(o.state())
		f.add(o.label)
	}
}

func (f *fingerprint) state(s State) {
	f.version(s.ResourceVersion)
	f.version(string(s.UID))
	f.add(s.Owner.Name, s.Content, int(s.Fields), s.Proven, s.Terminating, int(s.Others))
}

// ranked returns the values, with the rank of each version among the versions.
func (f *fingerprint) ranked() []byte {
	order := slices.Compact(slices.Sorted(slices.Values(f.versions)))
	for _, version := range f.versions {
		rank, _ := slices.BinarySearch(order, version)
		f.bytes = binary.AppendUvarint(f.bytes, uint64(rank))
	}
	return f.bytes
}
