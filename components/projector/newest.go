package projector

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// confirm reads the newest version of the source, whose watch begins first, and reports whether it does not exist. If it exists, its
// annotations decide.
func (s *sourceScope[O]) confirm(ctx context.Context) (isGone bool, err error) {
	if s.newest == nil {
		s.watchNewest(ctx)
	}
	object, problem, err := s.planner.ReadSource(ctx, s.rule, s.spec, s.kind, s.takeNewest)
	switch {
	case err != nil:
		return false, err
	case problem.IsZero():
		consents := s.planner.CheckConsent(s.spec, object)
		if s.scope.spec.Selects() && consents.IsZero() && !s.matches(watch.LastEvent{Labels: object.GetLabels()}) {
			return true, nil
		}
		s.confirmed = object.GetResourceVersion()
		s.consent = func(set copySet, copied destination.Copy) bool {
			return consents.IsZero() && s.consentsTo(ctx, set, copied, object.GetAnnotations())
		}
		if !consents.IsZero() {
			return false, s.endRecordOf(ctx)
		}
		return false, nil
	}
	if last := s.lastEvent(); last.ResourceVersion != "" && !last.Deleted { // the event of the deletion is to come
		return true, plan.ErrNotRead
	}
	return true, nil
}

// readNewest reads the newest versions of several sources, a few at a time, which newestConsent takes.
func (s *scope[O]) readNewest(ctx context.Context, sources []*sourceScope[O]) {
	unread := slices.DeleteFunc(distinct(sources), func(source *sourceScope[O]) bool {
		return source.consent != nil || source.newest != nil || source.kind.Kind == ""
	})
	for _, source := range unread {
		source.watchNewest(ctx)
	}
	var reads errgroup.Group
	reads.SetLimit(s.config.ReadConcurrency)
	for _, source := range unread {
		reads.Go(func() error {
			read := &Fetched{}
			read.err = s.catchPanic(ctx, func() (err error) {
				read.object, err = source.fetchNewest(ctx, source.kind, source.spec.Source)
				return err
			})
			source.newest = read
			return nil
		})
	}
	_ = reads.Wait() // none returns an error
}

// distinct returns each of the sources once.
func distinct[O owner.Object](sources []*sourceScope[O]) (each []*sourceScope[O]) {
	known := map[*sourceScope[O]]bool{}
	for _, source := range sources {
		if !known[source] {
			known[source] = true
			each = append(each, source)
		}
	}
	return each
}

// takeNewest returns what readNewest has read, or reads it.
func (s *sourceScope[O]) takeNewest(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
	if s.newest != nil {
		return s.newest.object, s.newest.err
	}
	return s.fetchNewest(ctx, kind, ref)
}

// watchNewest watches the source of which the newest version is to be read.
func (s *sourceScope[O]) watchNewest(ctx context.Context) {
	watching, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	if s.scope.spec.Selects() || len(s.selections) > 0 { // the others are followed still
		at := watch.SourceOf{Kind: s.kind.GroupVersionResource(), Namespace: s.sourceKey().Namespace, Name: s.sourceKey().Name}
		_ = s.from.Sources.Add(watching, s.key, at) // without it, nobody asks again before each request
	} else {
		_ = s.watchSources(watching) // likewise
	}
}
