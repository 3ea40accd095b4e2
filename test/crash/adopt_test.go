package crash_test

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/oracle"
)

// inTheWay is a rule whose copies others are in the way of: a copy of another tool, and an object that says something else.
func inTheWay(w *world) {
	w.source()
	w.put("ConfigMap", one, `data: {color: red, size: "1"}`)
	w.put("ConfigMap", two, `data: {color: green, theirs-key: "1"}`)
	marked := w.object("ConfigMap", one, "settings")
	w.patch(marked, `{"metadata":{"annotations":{"reflector.v1.k8s.emberstack.com/reflects":"home/settings"}}}`)
	w.foreign.Note(marked)
	w.project("rule")
}

// adopt lets the rule adopt, or not.
func (w *world) adopt(policy string) {
	w.T.Helper()
	w.adopted = oracle.Adopted{}
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"policy":{"onConflict":%q}}}`, policy))
}

// noteAdopted forgets the foreign objects that have become copies, and those that have ended as copies since. It returns the copies whose adoption
// has not ended.
func (w *world) noteAdopted(state oracle.State) (unfinished []string) {
	if w.adopted == nil {
		return nil
	}
	for at, noted := range w.foreign {
		live, exists := state.Objects[at]
		switch {
		case at.Namespace == w.name(home):
		case !exists || live.GetUID() != noted.GetUID():
			delete(w.foreign, at)
		case oracle.IsClaimed(live):
			w.adopted[live.GetUID()] = noted
			delete(w.foreign, at)
		}
	}
	if rule := w.live(w.rule("rule")); rule != nil {
		if suspended, _, _ := unstructured.NestedBool(rule.Object, "spec", "suspend"); suspended {
			return nil
		}
	}
	for at, object := range state.Objects {
		for _, entry := range object.GetManagedFields() {
			if strings.HasSuffix(entry.Manager, "/adopting") {
				unfinished = append(unfinished, fmt.Sprintf("the adoption of %s has not ended", at))
			}
		}
		for key := range object.GetAnnotations() {
			if _, foreign := w.foreign[at]; !foreign && strings.HasPrefix(key, "reflector.") {
				unfinished = append(unfinished, fmt.Sprintf("%s has the mark %s", at, key))
			}
		}
	}
	return unfinished
}
