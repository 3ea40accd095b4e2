package projector

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// selectedRecord begins the record of consent of a rule that selects its sources, or merges layers with its source. A hash of each source follows,
// since an annotation has no room for the names of hundreds.
const selectedRecord = "selected:"

// recordOf returns how a source is recorded among others.
func recordOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:10])
}

// recordedSources returns the hashes of the sources in a record; nil: it is none of a rule that selects its sources.
func recordedSources(record string) []string {
	hashes, found := strings.CutPrefix(record, selectedRecord)
	if !found {
		return nil
	}
	return strings.Split(hashes, ",")
}

// isListed reports whether the record of consent is a list of hashes: that of a rule with several sources.
func (s *scope[O]) isListed() bool { return s.spec.Selects() || s.isMerge() }

// keepRecord keeps in the record of a rule that merges layers those of its sources of which the function holds.
func (s *scope[O]) keepRecord(ctx context.Context, keeps func(*sourceScope[O]) bool) error {
	kept := s.unknownRecords()
	for _, source := range slices.Concat(s.all(), s.formersOfCopies()) {
		if !source.consentIsRecorded() {
			continue
		}
		hash := recordOf(source.retainedSource())
		kept = slices.DeleteFunc(kept, func(other string) bool { return other == hash })
		if keeps(source) {
			kept = append(kept, hash)
		}
	}
	record := s.formatRecord(kept)
	if record == s.rule.GetAnnotations()[v1.AnnotationConsentingSource] {
		return nil
	}
	return s.replaceRecord(ctx, record)
}

// unknownRecords returns the hashes in the record of consent if it is not known of which objects they are: a list has failed, or the copies are not
// known, which name objects that are not selected any more.
func (s *scope[O]) unknownRecords() []string {
	if len(s.selections) == 0 || s.selectionErr() == nil && len(s.local.sets) > 0 {
		return nil
	}
	return recordedSources(s.rule.GetAnnotations()[v1.AnnotationConsentingSource])
}

// consentRecord returns the record of the sources whose owners consent; empty if the rule retains no copies. A source that is not known now, or
// not selected any more, stays recorded for as long as the rule has copies of it. Of several sources, one of which a copy was to be deleted for want
// of consent, and is still there, is not recorded again.
func (s *scope[O]) consentRecord() string {
	if !s.isListed() {
		return s.named().retainedSource()
	}
	var hashes []string
	for _, source := range s.all() {
		if s.spec.Selects() && source.awaitsRevoked() {
			continue
		}
		isKnown := source.problem.IsZero() || source.isLayer && source.isSourceGone()
		if source.source != nil || isKnown && source.consentIsRecorded() {
			hashes = append(hashes, recordOf(source.retainedSource()))
		}
	}
	for _, source := range slices.Concat(s.unselectedSources(), s.formersOfCopies()) {
		if source.consentIsRecorded() && !source.isDenied() {
			hashes = append(hashes, recordOf(source.retainedSource()))
		}
	}
	return s.formatRecord(hashes)
}

func (s *scope[O]) formatRecord(hashes []string) string {
	if len(hashes) == 0 || len(s.spec.Policy.Retain) == 0 && !s.isMerge() {
		return ""
	}
	slices.Sort(hashes)
	return selectedRecord + strings.Join(slices.Compact(hashes), ",")
}

// unselectedSources returns the sources that the rule does not select, and of which it has copies.
func (s *scope[O]) unselectedSources() (unselected []*sourceScope[O]) {
	if !s.spec.Selects() {
		return nil
	}
	known := map[*sourceScope[O]]bool{}
	for _, set := range s.local.sets {
		for _, copied := range set.Cache.ByOwner(s.id.Key()) {
			if source := s.sourceOf(copied); source != nil && !known[source] && !source.isSelected() {
				known[source] = true
				unselected = append(unselected, source)
			}
		}
	}
	return unselected
}

// checkLastConsents is checkLastConsent for a rule that selects its sources.
func (s *scope[O]) checkLastConsents(ctx context.Context) error {
	if len(s.spec.Policy.Retain) == 0 {
		return nil
	}
	var ended []*sourceScope[O]
	for _, source := range s.sources {
		if source.source == nil && !source.problem.IsZero() {
			ended = append(ended, source)
		}
	}
	for _, source := range s.unselectedSources() {
		if source.failed == nil && (!source.isSourceGone() || source.lastEventObjects()) {
			ended = append(ended, source)
		}
	}
	return s.endRecordsOf(ctx, ended)
}

// endRecordOf removes the source from the record of consent.
func (s *sourceScope[O]) endRecordOf(ctx context.Context) error {
	if !s.isListed() {
		return s.endRecord(ctx)
	}
	return s.endRecordsOf(ctx, []*sourceScope[O]{s})
}

// endRecordsOf removes several sources from the record of consent, in one request.
func (s *scope[O]) endRecordsOf(ctx context.Context, ended []*sourceScope[O]) error {
	hashes := map[string]bool{}
	for _, source := range ended {
		if source.consentIsRecorded() {
			hashes[recordOf(source.retainedSource())] = true
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	recorded := recordedSources(s.rule.GetAnnotations()[v1.AnnotationConsentingSource])
	left := slices.DeleteFunc(recorded, func(hash string) bool { return hashes[hash] })
	return s.replaceRecord(ctx, s.formatRecord(left))
}

// mayRetain returns a function that reports whether a copy may still be made an ordinary object, as far as the watches know.
func (s *scope[O]) mayRetain(ctx context.Context) func(copySet, destination.Copy) bool {
	if !s.spec.Selects() {
		return s.mayRetainMerged(ctx)
	}
	byName := map[string]func(copySet, destination.Copy) bool{}
	for _, source := range slices.Concat(s.sources, s.unselectedSources()) {
		byName[source.spec.Source.Name] = source.mayRetain(ctx)
	}
	return func(set copySet, copied destination.Copy) bool {
		may, known := byName[s.saidSource(copied)]
		return known && may(set, copied)
	}
}

// translatedRecord returns the record of a rule that named a source which it selects now, or the other way round; empty: there is nothing to translate.
// So the copy of a source that does not exist any more outlives such an edit.
func (s *scope[O]) translatedRecord(recorded string) string {
	if len(s.spec.Policy.Retain) == 0 || recorded == "" {
		return ""
	}
	hashes := recordedSources(recorded)
	if !s.spec.Selects() {
		if named := s.named().retainedSource(); slices.Contains(hashes, recordOf(named)) {
			return named
		}
		return ""
	}
	if hashes == nil && strings.HasPrefix(recorded, s.spec.Source.GroupKind().String()+"/"+s.spec.Source.Namespace+"/") {
		return selectedRecord + recordOf(recorded)
	}
	return ""
}

// newestConsentTo returns a function that reports whether the owners consent to the copy.
func (s *scope[O]) newestConsentTo(ctx context.Context, copied destination.Copy) (func(copySet, destination.Copy) bool, error) {
	if s.spec.Selects() {
		return s.sourceOf(copied).newestConsent(ctx) // a copy that names no source is not retained
	}
	return s.newestConsent(ctx, copied)
}

// newestConsent returns a function that reports whether the owners of the source and of the layers that a copy names consent to it.
func (s *scope[O]) newestConsent(ctx context.Context, copied destination.Copy) (func(copySet, destination.Copy) bool, error) {
	if s.namesOthers(&copied.State) || copied.HidesLayers {
		return func(copySet, destination.Copy) bool { return false }, nil
	}
	named := s.namedIn(&copied.State)
	for _, each := range named { // they are watched together
		if each.kind == (source.Kind{}) && s.isMerge() {
			each.kind, _ = s.planner.ResolveSourceKind(ctx, each.spec.Source) // newestConsent returns the error
		}
	}
	s.readNewest(ctx, named)
	consents := make([]func(copySet, destination.Copy) bool, len(named))
	for i, source := range named {
		var err error
		if consents[i], err = source.newestConsent(ctx); err != nil {
			return nil, err
		}
	}
	return func(set copySet, copied destination.Copy) bool {
		return !slices.ContainsFunc(consents, func(consents func(copySet, destination.Copy) bool) bool { return !consents(set, copied) })
	}, nil
}

// namedIn returns the source of the rule, and what else the copy names.
func (s *scope[O]) namedIn(copied *destination.State) (sources []*sourceScope[O]) {
	if !s.spec.MergesSelected() {
		sources = append(sources, s.named())
	}
	named := s.namedBy(copied)
	return slices.Concat(sources, named.layers, named.formers)
}

// mayRetainMerged is mayRetain of the source and of the layers that a copy names.
func (s *scope[O]) mayRetainMerged(ctx context.Context) func(copySet, destination.Copy) bool {
	may := map[*sourceScope[O]]func(copySet, destination.Copy) bool{}
	for _, source := range slices.Concat(s.objects(), s.formersOfCopies()) {
		may[source] = source.mayRetain(ctx)
	}
	return func(set copySet, copied destination.Copy) bool {
		isDenied := slices.ContainsFunc(s.namedIn(&copied.State), func(source *sourceScope[O]) bool {
			return may[source] == nil || !may[source](set, copied)
		})
		return !isDenied && !s.namesOthers(&copied.State) && !copied.HidesLayers
	}
}
