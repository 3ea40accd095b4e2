package projector

import (
	"context"
	"errors"
	"slices"

	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// fetchAll reads the source and the layers at once: one that is slow delays no other. Where such reads are slow, plan.ErrNotRead says so, and the
// rule is enqueued when a slot is free or the read has ended.
func (s *scope[O]) fetchAll(ctx context.Context) {
	unread := slices.DeleteFunc(s.objects(), func(source *sourceScope[O]) bool { return source.fetched != nil })
	if len(s.selections) == 0 {
		s.fetchTogether(ctx, unread)
		return
	}
	for some := range slices.Chunk(unread, source.PageSize) { // so that not all is held at once
		s.fetchTogether(ctx, slices.Clone(some))
		for _, read := range some {
			read.holdFetched()
		}
	}
}

// fetchTogether reads sources at once.
func (s *scope[O]) fetchTogether(ctx context.Context, unread []*sourceScope[O]) {
	for before := len(unread) + 1; len(unread) > 0 && len(unread) < before; { // those that have not got a slot have their turn next
		batch := s.openReads()
		for _, source := range unread {
			source.fetched = &Fetched{err: plan.ErrNotRead}
			target, read := source.reading()
			s.begin(ctx, batch, target, read, source.fetched)
		}
		batch.Wait(ctx)
		before = len(unread)
		unread = slices.DeleteFunc(unread, func(source *sourceScope[O]) bool { return !errors.Is(source.fetched.err, plan.ErrNotRead) })
	}
}
