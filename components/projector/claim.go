package projector

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "projection.sh/operator/api/v1"
)

// claim puts the finalizer on the rule and records the kind of its copies, in one request, before the first copy is
// written. The record finds copies whose kind the rule no longer names, whatever was killed in between.
func (p *pass[O]) claim(ctx context.Context) error {
	kinds := recordedKinds(p.rule)
	if !slices.Contains(kinds, p.kind.GroupKind()) {
		kinds = append(kinds, p.kind.GroupKind())
	}
	return p.hold(ctx, kinds)
}

// reclaim puts the finalizer back that somebody has taken off a rule which may have copies.
func (p *pass[O]) reclaim(ctx context.Context) error {
	kinds := recordedKinds(p.rule)
	if len(kinds) == 0 || controllerutil.ContainsFinalizer(p.rule, p.id.Tier.Finalizer) {
		return nil
	}
	return p.hold(ctx, kinds)
}

// hold puts the finalizer on the rule and records the kinds, if they are not there.
func (p *pass[O]) hold(ctx context.Context, kinds []schema.GroupKind) error {
	err := p.record(ctx, kinds, func() { controllerutil.AddFinalizer(p.rule, p.id.Tier.Finalizer) })
	if err != nil && !errors.Is(err, errOutdated) {
		return unknown(v1.ConditionDestinationWritten, v1.ReasonDestinationWriteFailed, fmt.Errorf("claim the rule: %w", err))
	}
	return err
}

// errOutdated says that the rule was changed since it was read. It is no news: the pass is done again with what is there.
var errOutdated = errors.New("the rule was changed meanwhile")

// record writes the kinds, and whatever else of the metadata is changed, if there is a difference.
func (p *pass[O]) record(ctx context.Context, kinds []schema.GroupKind, change func()) error {
	base := p.rule.DeepCopyObject().(O)
	change()
	annotations := p.rule.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if wanted := kindNames(kinds); annotations[v1.AnnotationWrittenKinds] != wanted {
		annotations[v1.AnnotationWrittenKinds] = wanted
		p.rule.SetAnnotations(annotations)
	}
	if base.GetAnnotations()[v1.AnnotationWrittenKinds] == annotations[v1.AnnotationWrittenKinds] &&
		slices.Equal(base.GetFinalizers(), p.rule.GetFinalizers()) {
		return nil
	}
	p.recorded.says(p.id.Key(), annotations[v1.AnnotationWrittenKinds])
	return p.patch(ctx, base)
}

// patch sends how the rule's metadata differs from the base, to hold only if the rule is as it was read. It is outdated, too,
// if the rule is gone: one without our finalizer may go at any time, and nobody would ever remove what is written for it.
func (p *pass[O]) patch(ctx context.Context, base client.Object) error {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := p.parts.Client.Patch(limited, p.rule, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		p.latest.wrote(ctx, p.rule)
		return nil
	}
	p.recorded.forget(p.id.Key())
	p.latest.doubt(p.rule)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return errOutdated
	}
	return err
}

// isKind matches the names that the API server accepts for kinds.
var isKind = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?$`)

// recordedKinds returns the kinds that the rule may have copies of. What cannot be read as a kind is passed over.
func recordedKinds(rule client.Object) []schema.GroupKind {
	var kinds []schema.GroupKind
	for name := range strings.SplitSeq(rule.GetAnnotations()[v1.AnnotationWrittenKinds], ",") {
		if kind := schema.ParseGroupKind(strings.TrimSpace(name)); isKind.MatchString(kind.Kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func kindNames(kinds []schema.GroupKind) string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = kind.String()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}
