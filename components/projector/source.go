package projector

import (
	"cmp"
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// readSources reads what the rule copies.
func (s *scope[O]) readSources(ctx context.Context) error {
	s.local.member.Blockers.Begin(s.key, s.copyKind.GroupVersionResource())
	if s.spec.Selects() {
		return s.readSelected(ctx)
	}
	unwatched := s.watchSources(ctx)
	if unwatched != nil && !s.isMerge() {
		return unwatched
	}
	s.listSelections(ctx)
	s.fetchAll(ctx)
	failed := unwatched
	for _, source := range s.objects() {
		err := source.readSource(ctx)
		if source.err = err; err == nil && unwatched != nil && source.problem.IsZero() {
			source.err = unwatched // nobody would notice the next change
		}
		failed = cmp.Or(failed, err)
	}
	s.takeSelections()
	if failed == nil {
		s.remembered(func(r *memory.Rule) { r.RefusedReads = memory.Backoff{} })
	}
	if s.isMerge() { // checkLayers returns it
		return nil
	}
	if source := s.named(); source.metadata != nil && failed != nil {
		source.permit(source.metadata)
		s.setPermission()
		source.revokeBy(ctx, source.metadata.GetAnnotations())
	}
	return failed
}

// watchSources watches the source and the layers, as far as their kinds are known.
func (s *scope[O]) watchSources(ctx context.Context) error {
	var watched []watch.SourceOf
	for _, each := range s.selections {
		selecting, err := each.parseSelector()
		if each.err = err; err == nil {
			watched = append(watched, selecting)
		}
	}
	for _, from := range s.objects() {
		if from.kind != (source.Kind{}) {
			at := from.sourceKey()
			watched = append(watched, watch.SourceOf{Kind: from.kind.GroupVersionResource(), Namespace: at.Namespace, Name: at.Name})
		}
	}
	if err := s.from.Sources.WatchAll(ctx, s.key, watched...); err != nil {
		return plan.Unreadable(s.named().kind, s.spec.Source, err)
	}
	return nil
}

// readSource takes what was read of the source. The watch has begun before that, so that no change falls between the two. If the content cannot be
// read in the name of the service account, what the owner of the source declares holds nevertheless.
func (s *sourceScope[O]) readSource(ctx context.Context) error {
	if s.fetched != nil && !s.fetched.problem.IsZero() {
		s.source, s.problem, s.fetched = nil, s.fetched.problem, nil
		return nil
	}
	resource := s.kind.GroupVersionResource()
	object, problem, err := s.planner.ReadSource(ctx, s.rule, s.spec, s.kind, s.fetch)
	if object != nil {
		s.from.Sources.ObserveRead(resource, object)
		s.version = object.GetResourceVersion()
	}
	s.source, s.problem, s.fetched = object, problem, nil
	if err == nil && s.isSourceGone() {
		if err = s.holdGone(); err != nil {
			s.problem = policy.Problem{}
		}
	}
	if s.isLayer && s.selection == nil && object != nil && s.id.Owns(object) { // it does not consent; but nobody has opted out
		s.source = nil
		return plan.OwnCopy(s.kind, s.spec.Source)
	}
	return err
}

// Fetched is a source or a page of a list of sources, or why it could not be read, or need not.
type Fetched struct {
	object  *unstructured.Unstructured
	page    source.Page
	problem policy.Problem
	err     error
}

// fetch returns what fetchAll has read of the source, or reads it likewise.
func (s *sourceScope[O]) fetch(ctx context.Context, _ source.Kind, _ v1.SourceRef) (*unstructured.Unstructured, error) {
	if s.fetched != nil {
		return s.answer(*s.fetched)
	}
	target, read := s.reading()
	return s.answer(s.fetchIn(ctx, target, read))
}

// reading returns how the source is read that is watched, not older than its last event, and the lane of its namespace and the sender. Rules with
// the same source and the same user share reads.
func (s *sourceScope[O]) reading() (lane.Target, func(context.Context) Fetched) {
	from, resource, at := s.from, s.kind.GroupVersionResource(), s.sourceKey()
	return lane.Target{Resource: resource.GroupResource(), NamespacedName: at, Sender: s.spec.User().Account().Namespace},
		func(ctx context.Context) (answer Fetched) {
			answer.object, answer.err = s.read(ctx, s.kind, from.Sources.LastVersion(resource, at))
			answer.err = s.judge(ctx, answer.err)
			return answer
		}
}

// answer returns what was read. If it is only what the operator itself may know, the metadata are noted.
func (s *sourceScope[O]) answer(fetched Fetched) (*unstructured.Unstructured, error) {
	if unread, ok := errors.AsType[*plan.UnreadError](fetched.err); ok {
		s.metadata = unread.Metadata
	}
	return fetched.object, fetched.err
}

// fetchNewest reads the metadata of the source in the operator's own name, by a read that the API server does not answer from a cache. Its owner
// consents by annotations.
func (s *sourceScope[O]) fetchNewest(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
	return s.fetchBy(ctx, func(ctx context.Context) (*unstructured.Unstructured, error) {
		object, err := s.from.Reader.ReadMetadata(ctx, kind, ref)
		return object, s.judge(ctx, err)
	}, lane.Target{Resource: kind.GroupVersionResource().GroupResource(), NamespacedName: s.sourceKey()})
}

// fetchBy reads the source by the function, in the lane of the target.
func (s *sourceScope[O]) fetchBy(
	ctx context.Context, read func(context.Context) (*unstructured.Unstructured, error), target lane.Target,
) (*unstructured.Unstructured, error) {
	return s.answer(s.fetchIn(ctx, target, func(ctx context.Context) (answer Fetched) {
		answer.object, answer.err = read(ctx)
		return answer
	}))
}

// fetchIn makes a read in the lane of the target.
func (s *scope[O]) fetchIn(ctx context.Context, target lane.Target, read func(context.Context) Fetched) Fetched {
	fetched := Fetched{err: plan.ErrNotRead}
	batch := s.openReads()
	s.begin(ctx, batch, target, read, &fetched)
	batch.Wait(ctx)
	return fetched
}

// openReads opens a batch of reads.
func (s *scope[O]) openReads() *lane.Batch[Fetched] {
	s.from.Reads.Take(s.key) // what came too late for an earlier reconcile may be old
	return s.from.Reads.Open(s.key, s.run.release)
}

// begin begins a read of a batch, whose end sets what was read.
func (s *scope[O]) begin(ctx context.Context, batch *lane.Batch[Fetched], target lane.Target, read func(context.Context) Fetched, fetched *Fetched) {
	batch.Go(ctx, target, func() (answer Fetched) {
		err := s.catchPanic(s.run.base, func() error {
			answer = read(s.run.base)
			return answer.err
		})
		answer.err = err
		return answer
	}, func(answer Fetched) { *fetched = answer })
}

// read reads the source in the name of the rule's user. If that fails, it reads what the operator itself may know: that the source is gone, or
// that its owner has opted out. That holds whatever becomes of requests in the name of the service account, or of the user in another cluster.
//
// Example: the service account of a rule loses its role, and then the owner of the source opts out. The copies are deleted.
func (s *sourceScope[O]) read(ctx context.Context, kind source.Kind, version string) (*unstructured.Unstructured, error) {
	reader, user, ref := s.from.Reader, s.reader(s.spec), s.spec.Source
	shared := s.from.Sources.IsShared(kind.GroupVersionResource(), s.sourceKey())
	err := s.planner.CheckAccount(s.rule)
	if err == nil {
		read := reader.Read
		if shared {
			read = reader.ReadShared
		}
		var object *unstructured.Unstructured
		if object, err = read(ctx, user, kind, ref, version); err == nil || user.IsOperator() {
			return object, err
		}
	}
	var metadata *unstructured.Unstructured
	var unknown error
	if shared {
		metadata, unknown = reader.ReadMetadataShared(ctx, kind, ref, version)
	} else {
		metadata, unknown = reader.ReadMetadata(ctx, kind, ref)
	}
	if errors.Is(unknown, source.ErrNotFound) {
		return nil, unknown
	}
	return nil, &plan.UnreadError{User: user.Name(), Metadata: metadata, Err: err, Unknown: unknown}
}
