package projector

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// mergedSelection is a selector of a rule, and the objects that are merged because it selects them.
type mergedSelection[O owner.Object] struct {
	// spec is what the rule asks for of them. Its source has the selector.
	spec       owner.Spec
	isOptional bool

	// Set by resolveKind and watchSources.
	kind     source.Kind
	selector labels.Selector

	// Set by listSelections: by name, those that are not being deleted and are no copies of the rule, and why they are not known.
	members []*sourceScope[O]
	err     error
}

func (l *mergedSelection[O]) of() source.Selection {
	return source.Selection{Kind: l.kind, Namespace: l.spec.Source.Namespace, Selector: l.selector}
}

// isOf reports whether the selector might select the object.
func (l *mergedSelection[O]) isOf(object ObjectRef) bool {
	return l.spec.Source.GroupKind() == object.Kind && l.spec.Source.Namespace == object.Namespace
}

// parseSelector returns what the watch of the kind needs to know of the selector.
func (l *mergedSelection[O]) parseSelector() (watch.SourceOf, error) {
	selector, err := plan.SelectorOf(l.spec.Source)
	if err != nil {
		return watch.SourceOf{}, err
	}
	l.selector = selector
	return watch.SourceOf{Kind: l.kind.GroupVersionResource(), Namespace: l.spec.Source.Namespace, Selector: selector}, nil
}

// listSelections lists what the selectors of a rule select that merges it. The operator lists the content itself. With a service account, it lists the
// metadata, and fetchAll reads each object whose owner consents in the name of the account.
func (s *scope[O]) listSelections(ctx context.Context) {
	if len(s.selections) == 0 {
		return
	}
	s.selected = selectedSources{left: plan.MaxMerged}
	_ = s.local.loadInventory(ctx) // which is repeated, and then reports what is wrong
	s.local.inventoryErr = nil
	for _, each := range s.selections {
		if each.err == nil && each.selector != nil {
			each.err = s.listSelection(ctx, each)
		}
		if each.err != nil {
			each.members = nil
		}
	}
	if s.selected.tooMany {
		for _, each := range s.selections {
			for _, member := range each.members {
				member.unread(s.tooMany())
			}
		}
	}
	s.arrangeLayers()
}

// listSelection lists what a selector selects.
func (s *scope[O]) listSelection(ctx context.Context, of *mergedSelection[O]) error {
	byMetadata, before := s.spec.User().IsAccount() || s.planner.CheckAccount(s.rule) != nil || s.selected.tooMany, s.selected
	err := untilListed(func() error {
		of.members, s.selected = nil, before
		err := s.listMembers(ctx, of, byMetadata)
		if !byMetadata && (s.selected.tooMany || apierrors.IsInternalError(err)) { // opt-outs hold for all of them, and perhaps only one cannot be read
			byMetadata, of.members, s.selected = true, nil, before
			err = s.listMembers(ctx, of, byMetadata)
		}
		return err
	})
	if err != nil {
		return s.unlistedSources(of.kind, of.spec.Source, err)
	}
	return nil
}

// listMembers reads all pages of a list, and takes the objects as members.
func (s *scope[O]) listMembers(
	ctx context.Context, of *mergedSelection[O], byMetadata bool,
) error {
	list, take := s.from.Reader.ListPage, (*sourceScope[O]).takeListed
	if byMetadata {
		list, take = s.from.Reader.ListMetadataPage, (*sourceScope[O]).takeListedMetadata
	}
	most := maxListed
	if !byMetadata {
		most = v1.MaxSources + 1
	}
	return s.eachPage(ctx, of.of(), list, func(object *unstructured.Unstructured) bool {
		if object.GetDeletionTimestamp() == nil && !s.id.Marks(object) {
			s.selected.matched++
			s.selected.tooMany = s.selected.matched > v1.MaxSources
			member := s.memberOf(of, object.GetName())
			of.members = append(of.members, member)
			take(member, object)
		}
		return s.selected.matched < most
	})
}

// memberOf returns the object of that name. One that the rule names, or that another selector selects, is there once.
func (s *scope[O]) memberOf(of *mergedSelection[O], name string) *sourceScope[O] {
	if s.merging == nil {
		s.merging = map[ObjectRef]*sourceScope[O]{}
		for _, named := range s.all() {
			s.merging[ObjectRef{named.spec.Source.GroupKind(), named.sourceKey()}] = named
		}
	}
	at := ObjectRef{of.spec.Source.GroupKind(), types.NamespacedName{Namespace: of.spec.Source.Namespace, Name: name}}
	if known := s.merging[at]; known != nil {
		return known
	}
	member := s.newSourceScope(s.specOf(of.spec.Source, name))
	member.kind, member.isLayer, member.isOptional, member.selection = of.kind, true, true, of
	s.merging[at] = member
	return member
}

// specOf returns what the rule asks for of an object that a selector selects.
func (s *scope[O]) specOf(selecting v1.SourceRef, name string) owner.Spec {
	selecting.Name, selecting.Selector = name, nil
	return s.spec.OfLayer(v1.LayerSpec{Source: selecting})
}

// takeListed takes an object with its content. What does not fit into a copy anyway is not held.
func (s *sourceScope[O]) takeListed(object *unstructured.Unstructured) {
	s.metadata = nil
	if problem := s.planner.CheckConsent(s.spec, object); !problem.IsZero() {
		s.fetched = &Fetched{problem: problem}
		return
	}
	s.fetched = &Fetched{object: object}
	s.holdFetched()
}

// holdFetched holds the content of what was read, as far as a copy can have it together with that of others.
func (s *sourceScope[O]) holdFetched() {
	object := s.fetched.object
	if object == nil {
		return
	}
	if s.selected.left -= source.SizeOf(object); s.selected.left < 0 {
		s.fetched.object, s.selected.isTooMuch = withoutContent(object), true
		s.fetched.object.SetLabels(object.GetLabels())
	}
}

// takeListedMetadata takes an object without its content. Whose owner does not consent is not read.
func (s *sourceScope[O]) takeListedMetadata(object *unstructured.Unstructured) {
	s.metadata, s.fetched = withoutContent(object), nil
	if problem := s.planner.CheckConsent(s.spec, object); !problem.IsZero() {
		s.fetched = &Fetched{problem: problem}
	} else if refused := s.planner.CheckAccount(s.rule); refused != nil {
		s.unread(refused)
	}
}

// unread leaves an object unread whose owner consents, as its metadata say, for that reason.
func (s *sourceScope[O]) unread(because error) {
	if s.fetched == nil {
		s.fetched = &Fetched{err: &plan.UnreadError{Metadata: s.metadata, Err: because}}
	}
}

// takeSelections takes what was read of the objects that are selected. Those are left out that were deleted since they were listed, or that are not
// selected any more.
func (s *scope[O]) takeSelections() {
	for _, each := range s.selections {
		each.members = slices.DeleteFunc(each.members, func(member *sourceScope[O]) bool {
			isChanged := member.source != nil && (member.source.GetDeletionTimestamp() != nil || s.id.Marks(member.source) ||
				!each.selector.Matches(labels.Set(member.source.GetLabels())))
			return member.isSourceGone() || isChanged
		})
	}
	if len(s.selections) > 0 {
		s.arrangeLayers()
		s.followMembers()
	}
}

// takeFirst takes the first of the selected sources as the one of which everything but the keys is copied. There may be none.
func (s *scope[O]) takeFirst() {
	if !s.spec.MergesSelected() {
		return
	}
	source, of := s.named(), s.selections[0]
	if source.err = of.err; source.err != nil {
		return
	}
	if first := slices.IndexFunc(of.members, (*sourceScope[O]).isRead); first >= 0 {
		source.source = of.members[first].source
	} else if !slices.ContainsFunc(of.members, func(member *sourceScope[O]) bool { return member.err != nil }) {
		source.problem = policy.Problem{Reason: v1.ReasonSourceNotFound, Message: s.foundSelected()}
	}
}

// followMembers has the rule enqueued when one of the selected objects changes, and one that copies still name.
func (s *scope[O]) followMembers() {
	versions, incomplete := map[source.Kind]map[types.NamespacedName]string{}, map[source.Kind]bool{}
	for _, each := range s.selections {
		if versions[each.kind] == nil {
			versions[each.kind] = map[types.NamespacedName]string{}
		}
		incomplete[each.kind] = incomplete[each.kind] || each.err != nil
		for _, member := range each.members {
			version := ""
			if member.source != nil {
				version = member.source.GetResourceVersion()
			} else if member.metadata != nil {
				version = member.metadata.GetResourceVersion()
			}
			versions[each.kind][member.sourceKey()] = version
		}
	}
	for _, former := range s.formersOfCopies() {
		if followed := versions[former.kind]; followed != nil {
			followed[former.sourceKey()] = ""
		}
	}
	for kind, selected := range versions {
		if !incomplete[kind] {
			s.from.Sources.SetSelected(s.key, kind.GroupVersionResource(), selected)
		}
	}
}

// selectionErr is why what a selector selects is not known; nil: it is, or the error is plan.ErrNotRead, which comes last.
func (s *scope[O]) selectionErr() (err error) {
	for _, each := range s.selections {
		if each.err != nil && (err == nil || errors.Is(err, plan.ErrNotRead)) {
			err = each.err
		}
	}
	return err
}
