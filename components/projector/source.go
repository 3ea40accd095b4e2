package projector

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
)

// readSources reads what the rule copies.
func (s *scope[O]) readSources(ctx context.Context) error {
	s.local.member.Blockers.Begin(s.key, s.copyKind.GroupVersionResource())
	if s.spec.Selects() {
		return s.readSelected(ctx)
	}
	return s.named().readSource(ctx)
}

// readSource reads the source. The watch begins first, so that no change falls between the two. If the content cannot be read in the name of
// the service account, what the owner of the source declares holds nevertheless.
func (s *sourceScope[O]) readSource(ctx context.Context) error {
	resource := s.kind.GroupVersionResource()
	if err := s.local.member.Sources.Watch(ctx, s.key, resource, s.sourceKey()); err != nil {
		return plan.Unreadable(s.kind, s.spec.Source, err)
	}
	object, problem, err := s.planner.ReadSource(ctx, s.rule, s.spec, s.kind, s.fetch)
	if object != nil {
		s.local.member.Sources.ObserveRead(resource, object)
	}
	s.source, s.problem = object, problem
	if err == nil {
		s.remembered(func(r *memory.Rule) { r.RefusedReads = memory.Backoff{} })
	}
	if s.metadata != nil && err != nil {
		s.permit(s.metadata)
		s.revokeBy(ctx, s.metadata.GetAnnotations())
	}
	return err
}

// Fetched is a source or a page of a list of sources, or why it could not be read.
type Fetched struct {
	object *unstructured.Unstructured
	page   source.Page
	err    error
}

// fetch reads the source that is watched in the lane of its namespace and the sender, not older than its last event. Rules with the same source
// and the same user share reads. Where such reads are slow, it returns plan.ErrNotRead, and the rule is enqueued when a slot is free or the
// read has ended.
func (s *sourceScope[O]) fetch(ctx context.Context, kind source.Kind, _ v1.SourceRef) (*unstructured.Unstructured, error) {
	member, resource, at := s.local.member, kind.GroupVersionResource(), s.sourceKey()
	return s.fetchBy(ctx, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return s.read(ctx, kind, member.Sources.LastVersion(resource, at))
	}, lane.Target{Resource: resource.GroupResource(), NamespacedName: at, Sender: s.spec.User().Account().Namespace})
}

// fetchNewest reads the metadata of the source in the operator's own name, by a read that the API server does not answer from a cache. Its owner
// consents by annotations.
func (s *sourceScope[O]) fetchNewest(ctx context.Context, kind source.Kind, ref v1.SourceRef) (*unstructured.Unstructured, error) {
	return s.fetchBy(ctx, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return s.local.member.Reader.ReadMetadata(ctx, kind, ref)
	}, lane.Target{Resource: kind.GroupVersionResource().GroupResource(), NamespacedName: s.sourceKey()})
}

// fetchBy reads the source by the function, in the lane of the target.
func (s *sourceScope[O]) fetchBy(
	ctx context.Context, read func(context.Context) (*unstructured.Unstructured, error), target lane.Target,
) (*unstructured.Unstructured, error) {
	fetched := s.fetchIn(ctx, target, func(ctx context.Context) (answer Fetched) {
		answer.object, answer.err = read(ctx)
		return answer
	})
	if unread, ok := errors.AsType[*plan.UnreadError](fetched.err); ok {
		s.metadata = unread.Metadata
	}
	return fetched.object, fetched.err
}

// fetchIn makes a read in the lane of the target.
func (s *scope[O]) fetchIn(ctx context.Context, target lane.Target, read func(context.Context) Fetched) Fetched {
	member := s.local.member
	fetched := Fetched{err: plan.ErrNotRead}
	member.Reads.Take(s.key) // what came too late for an earlier reconcile may be old
	reads := member.Reads.Open(s.key, s.run.release)
	reads.Go(ctx, target, func() (answer Fetched) {
		err := s.catchPanic(s.run.base, func() error {
			answer = read(s.run.base)
			return answer.err
		})
		answer.err = err
		return answer
	}, func(answer Fetched) { fetched = answer })
	reads.Wait(ctx)
	return fetched
}

// read reads the source in the name of the rule's user. If that fails, it reads what the operator itself may know: that the source is gone, or
// that its owner has opted out. That holds whatever becomes of requests in the name of the service account.
//
// Example: the service account of a rule loses its role, and then the owner of the source opts out. The copies are deleted.
func (s *sourceScope[O]) read(ctx context.Context, kind source.Kind, version string) (*unstructured.Unstructured, error) {
	reader, user, ref := s.local.member.Reader, s.spec.User(), s.spec.Source
	shared := s.local.member.Sources.IsShared(kind.GroupVersionResource(), s.sourceKey())
	err := s.planner.CheckAccount(s.rule)
	if err == nil {
		read := reader.Read
		if shared {
			read = reader.ReadShared
		}
		var object *unstructured.Unstructured
		if object, err = read(ctx, user, kind, ref, version); err == nil || !user.IsAccount() {
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
	return nil, &plan.UnreadError{Metadata: metadata, Err: err, Unknown: unknown}
}
