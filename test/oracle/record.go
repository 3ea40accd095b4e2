package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
)

// consent looks at what is recorded of the consent of the owner, if the source is there. What stays of a source that does not exist is the last
// record.
func (r *report) consent(w *world, p *plan) {
	recorded, wish := p.rule.GetAnnotations()[v1.AnnotationConsentingSource], wishOf(p.rule)
	switch {
	case len(wish.layers) > 0:
		maySelectOthers := slices.ContainsFunc(wish.layers, func(each layer) bool { return each.selector != nil })
		r.consents(recorded, w.consentsTo(w.withSelected(p.rule, wish)), p.source != nil, maySelectOthers)
	case len(wish.policy.Retain) == 0 && p.source != nil:
		r.expect("the record of consent", recorded, "")
	case p.source != nil:
		r.expect("the record of consent", recorded, refOfSource(wish.source))
	case !slices.Contains(p.reasons, v1.ReasonSourceDeleted):
		r.expect("the record of consent", recorded, "")
	}
}

// consent is what is known of the consent of an object's owner: true or false; unknown where there is no object.
type consent string

const (
	given   consent = "given"
	denied  consent = "denied"
	unknown consent = "unknown"
)

// consentsTo returns the consent of the owner of each object that a rule merges, whether the rule retains copies or not.
func (w *world) consentsTo(wish wish) map[string]consent {
	consents := map[string]consent{}
	places := placesOf(wish.layers)
	if !wish.isSelection {
		places = append(places, wish.source)
	}
	for _, at := range places {
		consents[refOfSource(at)] = w.consentOf(at, wish)
	}
	return consents
}

func (w *world) consentOf(at Place, wish wish) consent {
	switch object, why := w.consenting(at); {
	case object != nil && declaresPublic(object, wish):
		return given
	case slices.Contains(why, v1.ReasonSourceDeleted):
		return unknown
	default:
		return denied
	}
}

// listed begins the record of consent of a rule that merges, or selects its sources. A list of hashes follows.
const listed = "selected:"

func hashOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:10])
}

// isRecorded tells whether the owner of the source has consented last.
func isRecorded(rule Rule, source Place) bool {
	recorded, name := rule.GetAnnotations()[v1.AnnotationConsentingSource], refOfSource(source)
	hashes, isListed := strings.CutPrefix(recorded, listed)
	return recorded == name || isListed && slices.Contains(strings.Split(hashes, ","), hashOf(name))
}

// consents expects a record of all whose owners consent, and of nobody else. An object that does not exist may be in the record: its owner consented
// last. A rule that copies nothing records nobody whom it has not recorded before. If it has a selector, objects may be recorded that it does not select
// any more, and that its copies name.
func (r *report) consents(recorded string, consents map[string]consent, isCopied, maySelectOthers bool) {
	hashes := strings.FieldsFunc(strings.TrimPrefix(recorded, listed), func(c rune) bool { return c == ',' })
	for name, consent := range consents {
		hash := hashOf(name)
		isRecorded := slices.Contains(hashes, hash)
		if consent == given && isCopied || consent == denied {
			r.expect("that the consent of "+name+" is recorded", isRecorded, consent == given)
		}
		hashes = slices.DeleteFunc(hashes, func(other string) bool { return other == hash })
	}
	if maySelectOthers {
		return
	}
	r.expect("the number of others in the record of consent", len(hashes), 0)
}
