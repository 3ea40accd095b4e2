package oracle

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// Theirs begins the keys of what third parties add to copies: labels, annotations, and entries of the content.
const Theirs = "theirs-"

// TheirValue is what third parties set keys to that copies have of their sources. It stays at a key that is not copied.
const TheirValue = "theirs"

// marks are how copies of a kind of rules are marked.
type marks struct{ annotation, label string }

var marksOf = map[string]marks{
	v1.KindProjection:        {v1.AnnotationOwnedByProjection, v1.LabelOwnedByProjectionUID},
	v1.KindClusterProjection: {v1.AnnotationOwnedByClusterProjection, v1.LabelOwnedByClusterProjectionUID},
}

// refOf returns the rule's name as the annotation of its copies has it.
func refOf(rule Rule) string {
	if rule.GetNamespace() == "" {
		return rule.GetName()
	}
	return rule.GetNamespace() + "/" + rule.GetName()
}

// comparison collects what differs between a copy and what the rule wants it to be. What third parties added does not count.
type comparison struct {
	at       Place
	problems []string
}

func (c *comparison) add(problem string, details ...any) {
	c.problems = append(c.problems, c.at.String()+" "+fmt.Sprintf(problem, details...))
}

func (c *comparison) differ(what string, is, want any) {
	if !reflect.DeepEqual(is, want) {
		c.problems = append(c.problems, fmt.Sprintf("%s: %s is %v, not %v", c.at, what, is, want))
	}
}

// contentProblems compares a copy with what the rule wants it to be.
func contentProblems(at Place, copied *unstructured.Unstructured, p plan) []string {
	if p.createsOnly(copied) {
		return markProblems(at, copied, p)
	}
	c := comparison{at: at}
	c.labels(copied, p)
	c.annotations(copied, p)
	c.content(copied, p)
	c.differ("the owner references and finalizers", len(copied.GetOwnerReferences())+len(copied.GetFinalizers()), 0)
	return c.problems
}

func (c *comparison) labels(copied *unstructured.Unstructured, p plan) {
	wish := wishOf(p.rule)
	labels := travelling(p.source.GetLabels(), wish.content.Labels, wish.overlay.Labels)
	maps.Copy(labels, p.valuesAt(c.at).labels)
	labels[marksOf[p.rule.GetKind()].label] = string(p.rule.GetUID())
	c.differ("the labels", withoutTheirs(copied.GetLabels(), labels), labels)
}

// annotations compares those that say something of the source and the layers, which a copy in sync need not have, one by one, and then all others.
func (c *comparison) annotations(copied *unstructured.Unstructured, p plan) {
	wish := wishOf(p.rule)
	annotations := travelling(publicAnnotations(p.source, wish), wish.content.Annotations, wish.overlay.Annotations)
	maps.Copy(annotations, p.valuesAt(c.at).annotations)
	annotations[marksOf[p.rule.GetKind()].annotation] = refOf(p.rule)
	if slices.ContainsFunc(p.all(), func(source *unstructured.Unstructured) bool { return permissionOf(source).limited }) {
		annotations[v1.AnnotationProjectable] = "false"
	}
	is := withoutTheirs(copied.GetAnnotations(), annotations)
	if is[v1.AnnotationContentHash] == "" {
		c.add("has no content hash")
	}
	if slices.ContainsFunc(p.all(), wish.publishesOf) {
		annotations[v1.AnnotationPublishedKeys] = publishedKeys(wish.content.Data)
	}
	mayNoteUID := !wish.isSelection && (wish.kind.Kind != "ConfigMap" || copied.Object["immutable"] == true)
	if uid, stamped := is[v1.AnnotationSourceUID]; stamped && !mayNoteUID {
		c.add("has the uid %s of its source", uid)
	}
	if source, stamped := is[v1.AnnotationSource]; stamped { // a copy without it is in sync
		c.differ("the source that it names", source, refOfSource(wish.source))
	}
	c.differ("the layers that it names", is[v1.AnnotationLayers], namesOf(len(wish.layers) > 0, p.layers))
	for _, key := range []string{
		v1.AnnotationContentHash, v1.AnnotationLayers, v1.AnnotationSource,
		v1.AnnotationPlace,     // it is right, if there is one: else nobody owned the object
		v1.AnnotationSourceUID, // a source with the same content may have replaced the one that is noted
	} {
		delete(is, key)
	}
	c.differ("the annotations", is, annotations)
}

func (c *comparison) content(copied *unstructured.Unstructured, p plan) {
	wish := wishOf(p.rule)
	wanted := withData(p.merged(), p.valuesAt(c.at).data)
	copied = withoutTheirImmutable(copied, wanted, p.rule)
	c.differ("the content", contentOf(withoutFields(copied, wish.content.Fields.Exclude), wanted), contentOf(wanted, wanted))
}

// merged returns what is chosen of the source, with what is chosen of the layers.
func (p *plan) merged() *unstructured.Unstructured {
	wish := wishOf(p.rule)
	chosen := func(source *unstructured.Unstructured) *unstructured.Unstructured {
		return converted(withoutFields(keysOf(source, wish.content.Data), wish.content.Fields.Exclude), wish.kind.Kind)
	}
	var layers []*unstructured.Unstructured
	for _, each := range p.layers {
		layers = append(layers, chosen(each))
	}
	return withLayers(chosen(p.source), layers, wish.onKeyConflict)
}

// sourceOf returns how a copy names its source.
func sourceOf(source *unstructured.Unstructured) string {
	return source.GroupVersionKind().GroupKind().String() + "/" + source.GetNamespace() + "/" + source.GetName()
}

// travelling returns the labels or annotations that a copy has of its source and its rule.
func travelling(source map[string]string, chosen v1.KeyFilter, overlay map[string]string) map[string]string {
	entries := map[string]string{}
	for key, value := range source {
		if !strings.HasPrefix(key, v1.Domain+"/") && isChosen(chosen, key) {
			entries[key] = value
		}
	}
	maps.Copy(entries, overlay)
	return entries
}

// isChosen reports whether the key is copied.
func isChosen(chosen v1.KeyFilter, key string) bool {
	listed := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
			return regexp.MustCompile("^" + expression + "$").MatchString(key)
		})
	}
	return (len(chosen.Include) == 0 || listed(chosen.Include)) && !listed(chosen.Exclude)
}

// withoutTheirs returns the entries without those of third parties: with a key of theirs, or with the value of theirs at a key that
// the rule does not want.
func withoutTheirs(entries, wanted map[string]string) map[string]string {
	kept := map[string]string{}
	for key, value := range entries {
		_, ours := wanted[key]
		if !strings.HasPrefix(key, Theirs) && (ours || value != TheirValue) {
			kept[key] = value
		}
	}
	return kept
}

// contentOf returns everything but metadata and status, without the entries of third parties and empty maps. At a key that the copy is
// not to have, what third parties set there is theirs.
func contentOf(object, wanted *unstructured.Unstructured) map[string]any {
	content := map[string]any{}
	for _, field := range slices.Sorted(maps.Keys(object.Object)) {
		if field == "metadata" || field == "status" {
			continue
		}
		value := object.Object[field]
		if entries, ok := value.(map[string]any); ok {
			expected, _ := wanted.Object[field].(map[string]any)
			own := map[string]any{}
			for key, entry := range entries {
				_, ours := expected[key]
				if !strings.HasPrefix(key, Theirs) && (ours || !isTheirs(entry)) {
					own[key] = entry
				}
			}
			if len(own) == 0 {
				continue
			}
			value = own
		}
		content[field] = value
	}
	return content
}

// withoutFields returns the object without fields that are not copied: in copies, they have any value. The paths are names with dots.
func withoutFields(object *unstructured.Unstructured, paths []string) *unstructured.Unstructured {
	left := object.DeepCopy()
	for _, path := range paths {
		unstructured.RemoveNestedField(left.Object, strings.Split(path, ".")...)
	}
	return left
}

// isTheirs reports whether the entry of a ConfigMap or Secret is one that third parties set.
func isTheirs(entry any) bool {
	return entry == TheirValue || entry == base64.StdEncoding.EncodeToString([]byte(TheirValue))
}

// keysOf returns the source with those keys that are copied, under their names in the copy.
func keysOf(source *unstructured.Unstructured, chosen v1.DataFilter) *unstructured.Unstructured {
	copied := source.DeepCopy()
	for _, field := range []string{"data", "binaryData"} {
		entries, ok := source.Object[field].(map[string]any)
		if !ok || source.GetKind() != "ConfigMap" && source.GetKind() != "Secret" {
			continue
		}
		named := map[string]any{}
		for key, value := range entries {
			if isChosen(v1.KeyFilter{Include: chosen.Include, Exclude: chosen.Exclude}, key) {
				named[nameOf(key, chosen.Rename)] = value
			}
		}
		copied.Object[field] = named
	}
	return copied
}

// nameOf returns the name of the key in the copy.
func nameOf(key string, renames []v1.KeyRename) string {
	for _, rename := range renames {
		if rename.From == key {
			return rename.To
		}
		whole := regexp.MustCompile("^(" + rename.Pattern + ")$")
		if rename.Pattern != "" && whole.MatchString(key) {
			return whole.ReplaceAllString(key, strings.ReplaceAll(rename.To, "$1", "${2}")) // the first group is the whole
		}
	}
	return key
}
