package watch

// Len returns the number of open watches.
func (p *Pool[K, W]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.watches)
}
