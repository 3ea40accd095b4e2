package projector

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

const (
	// maxListTries is how often a list is begun whose continuation the API server has forgotten.
	maxListTries = 3
	// maxListed is how many sources are counted of a rule that selects too many.
	maxListed = 20 * source.MetadataPageSize
)

// selectedSources is what one reconcile knows of the sources that the rule selects.
type selectedSources struct {
	// matched is how many objects the selector matches, without those that are being deleted and copies of the rule.
	matched int
	// tooMany reports whether that is more than one rule copies. Nothing but opt-outs is then known of them.
	tooMany bool
	// targets are where copies are to be, and targetsErr is why that is not known.
	targets    []plan.Target
	targetsErr error
	// known are the sets of fields that copies may have.
	known destination.FieldSets
	// left is how many bytes of content may still be held. Content is held of sources from that name on: the earlier ones had their turn in an earlier
	// reconcile. Next is the name from which on the next reconcile holds content; empty: the first.
	left       int
	isTooMuch  bool // of sources that are merged, more than one copy can hold
	from, next string
	selector   labels.Selector
}

// readSelected lists the sources that the rule selects. The watch begins first, so that no change falls between the two. In one reconcile, all of
// them are read: what is not in a complete list is known not to be selected.
//
// The operator lists the content itself, by pages. With a service account, or a user that a RemoteCluster impersonates, it lists the metadata, and reads
// each source whose owner consents in the name of that user: permissions cannot narrow a list to some names.
func (s *scope[O]) readSelected(ctx context.Context) error {
	selector, err := metav1.LabelSelectorAsSelector(s.spec.Source.Selector.LabelSelector())
	if err != nil {
		return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason: v1.ReasonRuleInvalid, Message: "source.selector is not valid", Copies: policy.CopiesKept, Advice: "correct it",
		}, err)
	}
	sources, resource := s.from.Sources, s.kind.GroupVersionResource()
	of := source.Selection{Kind: s.kind, Namespace: s.spec.Source.Namespace, Selector: selector}
	if err := sources.WatchAll(ctx, s.key, watch.SourceOf{Kind: resource, Namespace: of.Namespace, Selector: selector}); err != nil {
		return plan.Unreadable(s.kind, s.spec.Source, err)
	}
	s.prepareSelected(ctx)
	s.selected.selector = selector
	if err := s.judge(ctx, untilListed(func() error { return s.listSelected(ctx, of) })); err != nil {
		s.sources = nil
		return s.unlistedSources(s.kind, s.spec.Source, err)
	}
	if err := s.checkVanished(ctx); err != nil {
		s.sources = nil
		return err
	}
	slices.SortFunc(s.sources, func(a, b *sourceScope[O]) int { return strings.Compare(a.spec.Source.Name, b.spec.Source.Name) })
	s.remembered(func(r *memory.Rule) { r.ContentFrom = s.selected.next })
	s.followSelected()
	s.noteUnsearched()
	return nil
}

// untilListed lists again if the API server has forgotten the continuation of the list.
func untilListed(list func() error) (err error) {
	for range maxListTries {
		if err = list(); !apierrors.IsResourceExpired(err) {
			return err
		}
	}
	return err
}

// unlistedSources is the error of a rule for which no list of sources could be made.
func (s *scope[O]) unlistedSources(kind source.Kind, selecting v1.SourceRef, err error) error {
	if errors.Is(err, errOutdated) {
		return err
	}
	return s.planner.Unlisted(kind, selecting, err)
}

// prepareSelected finds out what decides whether copies are in sync, so that the content of sources whose copies are need not be held. If that
// cannot be known, the step that needs it reports it.
func (s *scope[O]) prepareSelected(ctx context.Context) {
	s.selected = selectedSources{left: s.config.MaxSelectedContent, known: destination.ParseFieldSets(s.rule.GetCommonStatus().AppliedFields)}
	s.hub.Names.Set(s.key, destination.NamesOf(s.key.Namespace, s.spec)) // before the labels of namespaces are read
	s.selected.targets, s.selected.targetsErr = s.planner.ResolveTargets(ctx, s.rule)
	_ = s.local.loadInventory(ctx) // which is repeated, and then reports what is wrong
	s.local.inventoryErr = nil
	s.remembered(func(r *memory.Rule) { s.selected.from = r.ContentFrom })
}

// listSelected reads all pages of a list.
func (s *scope[O]) listSelected(ctx context.Context, of source.Selection) error {
	s.sources, s.selected.matched, s.selected.tooMany, s.selected.left, s.selected.next = nil, 0, false, s.config.MaxSelectedContent, ""
	if !s.reader(s.spec).IsOperator() || s.planner.CheckAccount(s.rule) != nil {
		return s.listEach(ctx, of)
	}
	err := s.eachPage(ctx, of, s.from.Reader.ListPage, func(object *unstructured.Unstructured) bool {
		if source := s.addSelected(object); source != nil && !s.selected.tooMany {
			source.take(ctx, object)
		}
		return !s.selected.tooMany
	})
	switch {
	case err == nil && s.selected.tooMany: // opt-outs hold for all of them
		return s.listMetadata(ctx, of)
	case apierrors.IsInternalError(err): // perhaps one of them cannot be read
		return s.listEach(ctx, of)
	}
	return err
}

// listEach lists the metadata of the sources, and reads each by itself. What cannot be read of one says nothing of the others.
func (s *scope[O]) listEach(ctx context.Context, of source.Selection) error {
	if err := s.listMetadata(ctx, of); err != nil || s.selected.tooMany {
		return err
	}
	refused, has := s.planner.CheckAccount(s.rule), s.namesWithCopies()
	var denied, unread []*sourceScope[O]
	for _, source := range s.sources {
		switch {
		case !source.problem.IsZero() && (has == nil || has[source.spec.Source.Name]):
			denied = append(denied, source)
		case !source.problem.IsZero():
		case refused != nil:
			source.failed = refused
		default:
			unread = append(unread, source)
		}
	}
	s.noteUnrecorded(s.endRecordsOf(ctx, denied))
	for _, source := range denied { // whatever the others take
		source.revokeAll(ctx)
	}
	if s.unrecorded != nil {
		return s.unrecorded
	}
	for some := range slices.Chunk(unread, source.PageSize) {
		s.readEach(ctx, some)
	}
	s.byName = nil
	s.sources = slices.DeleteFunc(s.sources, func(s *sourceScope[O]) bool { return s.isGone })
	return nil
}

// listMetadata lists the metadata of the sources.
func (s *scope[O]) listMetadata(ctx context.Context, of source.Selection) error {
	s.sources, s.selected.matched, s.selected.tooMany = nil, 0, false
	return s.eachPage(ctx, of, s.from.Reader.ListMetadataPage, func(object *unstructured.Unstructured) bool {
		if source := s.addSelected(object); source != nil {
			source.takeMetadata(object)
		}
		return s.selected.matched < maxListed
	})
}

// listFunc returns a page of a list.
type listFunc func(ctx context.Context, of source.Selection, next string) (source.Page, error)

// eachPage calls the function with each object of a list, until it returns false.
func (s *scope[O]) eachPage(ctx context.Context, of source.Selection, list listFunc, do func(*unstructured.Unstructured) bool) error {
	for next := ""; ; {
		page, err := s.fetchPage(ctx, of, func(ctx context.Context) (source.Page, error) { return list(ctx, of, next) })
		if err != nil {
			return err
		}
		for i := range page.Objects {
			if !do(&page.Objects[i]) {
				return nil
			}
		}
		if next = page.Next; next == "" {
			return nil
		}
	}
}

// fetchPage reads a page in the lane of the sources.
func (s *scope[O]) fetchPage(ctx context.Context, of source.Selection, read func(context.Context) (source.Page, error)) (source.Page, error) {
	fetched := s.fetchIn(ctx, lane.Target{
		Resource: of.GroupVersionResource().GroupResource(), NamespacedName: types.NamespacedName{Namespace: of.Namespace},
	}, func(ctx context.Context) (answer Fetched) {
		answer.page, answer.err = read(ctx)
		return answer
	})
	return fetched.page, fetched.err
}

// addSelected adds an object as a source; nil: it is none. An object that bears the rule's own mark is no source, so that no copy feeds itself.
func (s *scope[O]) addSelected(object *unstructured.Unstructured) *sourceScope[O] {
	if object.GetDeletionTimestamp() != nil || s.id.Marks(object) {
		return nil
	}
	s.selected.matched++
	s.selected.tooMany = s.selected.matched > v1.MaxSources
	added := s.newSourceScope(s.spec.For(object.GetName()))
	s.sources = append(s.sources, added)
	return added
}

// followSelected has the rule enqueued when one of the sources changes, and one that it still has copies of.
func (s *scope[O]) followSelected() {
	resource, versions := s.kind.GroupVersionResource(), map[types.NamespacedName]string{}
	for _, set := range s.local.sets {
		for _, copied := range set.Cache.ByOwner(s.id.Key()) {
			for _, name := range s.mayBeOf(copied) {
				versions[types.NamespacedName{Namespace: s.spec.Source.Namespace, Name: name}] = ""
			}
		}
	}
	for _, source := range s.sources {
		versions[source.sourceKey()] = source.metadata.GetResourceVersion()
	}
	s.from.Sources.SetSelected(s.key, resource, versions)
	for _, source := range s.sources {
		if source.metadata != nil && source.failed == nil {
			s.from.Sources.ObserveRead(resource, source.metadata)
		}
	}
}

// tooMany is the error of a rule that selects too many sources.
func (s *scope[O]) tooMany() error {
	matched := strconv.Itoa(s.selected.matched)
	if s.selected.matched >= maxListed {
		matched = "at least " + matched
	}
	return plan.TooManySources(s.spec, matched)
}
