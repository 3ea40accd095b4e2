package projector

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// selectedRecord begins the record of consent of a rule that selects its sources. A hash of each source follows, since an annotation has no room for
// the names of hundreds.
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

// consentRecord returns the record of the sources whose owners consent; empty if the rule retains no copies. A source that is not known now, or
// not selected any more, stays recorded for as long as the rule has copies of it.
func (s *scope[O]) consentRecord() string {
	if !s.spec.Selects() {
		return s.named().retainedSource()
	}
	var hashes []string
	for _, source := range s.sources {
		if source.source != nil || source.problem.IsZero() && source.consentIsRecorded() {
			hashes = append(hashes, recordOf(source.retainedSource()))
		}
	}
	for _, source := range s.unselectedSources() {
		if source.consentIsRecorded() {
			hashes = append(hashes, recordOf(source.retainedSource()))
		}
	}
	return formatRecord(s.spec.Policy, hashes)
}

func formatRecord(policy v1.Policy, hashes []string) string {
	if len(hashes) == 0 || len(policy.Retain) == 0 {
		return ""
	}
	slices.Sort(hashes)
	return selectedRecord + strings.Join(slices.Compact(hashes), ",")
}

// unselectedSources returns the sources that the rule does not select, and of which it has copies.
func (s *scope[O]) unselectedSources() (unselected []*sourceScope[O]) {
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
	for _, source := range s.sources {
		if source.source == nil && !source.problem.IsZero() {
			if err := source.endRecordOf(ctx); err != nil {
				return err
			}
		}
	}
	for _, source := range s.unselectedSources() {
		if source.failed == nil && (!source.isSourceGone() || source.lastEventObjects()) {
			if err := source.endRecordOf(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// endRecordOf removes the source from the record of consent.
func (s *sourceScope[O]) endRecordOf(ctx context.Context) error {
	if !s.scope.spec.Selects() {
		return s.endRecord(ctx)
	}
	if !s.consentIsRecorded() {
		return nil
	}
	recorded := recordedSources(s.rule.GetAnnotations()[v1.AnnotationConsentingSource])
	left := slices.DeleteFunc(recorded, func(hash string) bool { return hash == recordOf(s.retainedSource()) })
	return s.replaceRecord(ctx, formatRecord(s.spec.Policy, left))
}

// mayRetain returns a function that reports whether a copy may still be made an ordinary object, as far as the watches know.
func (s *scope[O]) mayRetain(ctx context.Context) func(copySet, destination.Copy) bool {
	if !s.spec.Selects() {
		return s.named().mayRetain(ctx)
	}
	byName := map[string]func(copySet, destination.Copy) bool{}
	for _, source := range slices.Concat(s.sources, s.unselectedSources()) {
		byName[source.spec.Source.Name] = source.mayRetain(ctx)
	}
	of := s.spec.Source
	return func(set copySet, copied destination.Copy) bool {
		may, known := byName[copied.Name]
		return known && copied.SourceName(of) == copied.Name && may(set, copied)
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
