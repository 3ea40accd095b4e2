package projector

import "sync"

// ringObjects are the objects on the way from copies to their sources. Each is read once, though several sources are looked at together.
type ringObjects struct {
	mu    sync.Mutex
	reads map[ObjectRef]func() Fetched
}

// get returns the object at the place. The first caller reads it; others wait for that.
func (r *ringObjects) get(at ObjectRef, read func() Fetched) Fetched {
	r.mu.Lock()
	if r.reads == nil {
		r.reads = map[ObjectRef]func() Fetched{}
	}
	once, found := r.reads[at]
	if !found {
		once = sync.OnceValue(read)
		r.reads[at] = once
	}
	r.mu.Unlock()
	return once()
}
