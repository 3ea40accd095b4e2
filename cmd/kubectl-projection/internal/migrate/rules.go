package migrate

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/policy"
)

// World is what the rules depend on besides the objects of the tool.
type World struct {
	// Namespaces are the labels of those that exist and are not being deleted. Empty: they are not known.
	Namespaces map[string]map[string]string
	// Excluded are the namespaces that no selector of a rule matches.
	Excluded []string
	// Mode says which sources consent.
	Mode policy.Mode
	// Rules are those that exist.
	Rules []*v1.ClusterProjection
	// Sources is the namespace of the sources to look at; empty: all.
	Sources string
}

// Result is what becomes of the copies of one source.
type Result struct {
	// Title says what there is.
	Title string `json:"title"`
	// Notes say what no rule can say, and what else there is to do.
	Notes []string `json:"notes,omitempty"`
	// Rules take the copies over.
	Rules []*v1.ClusterProjection `json:"rules,omitempty"`
	// Copies counts the copies that the rules have.
	Copies int `json:"copies"`
}

// Rules returns what becomes of each source.
func (s *Survey) Rules(world World) []Result {
	groups, lost := s.groups(world.Namespaces)
	names := newNames(world.Rules)
	results := []Result{}
	for _, it := range groups {
		if world.Sources == "" || world.Sources == it.source.Namespace {
			results = append(results, s.result(it, world, names))
		}
	}
	return append(results, s.withoutSource(lost)...)
}

func (s *Survey) result(it *group, world World, names *names) (result Result) {
	result.Title = s.title(it)
	source := s.sources[it.source]
	if source == nil {
		result.note("The source does not exist, or you may not read it. The copies stay as they are when %s is stopped: %s.", s.tool.Name, list(it.copies))
		return result
	}
	if same := world.rulesFor(it); len(same) > 0 {
		result.addExisting(same, it, world)
		return result
	}
	result.addGrant(s.tool, source)
	result.addRefused(s.tool, it, source)
	destinations, notes := s.destinations(it, source, world)
	result.Notes = append(result.Notes, notes...)
	if len(destinations) == 0 {
		return result
	}
	for _, destination := range destinations {
		rule := ruleOf(names.next(it), it)
		rule.Spec.Destination = destination
		rule.Spec.Content = s.content(it, source)
		result.Rules = append(result.Rules, rule)
	}
	result.Copies = len(it.copies)
	result.addConsent(it, source, world)
	result.addObstacles(s, it)
	return result
}

// note adds a sentence.
func (r *Result) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (s *Survey) title(it *group) string {
	text := fmt.Sprintf("%s: ", it.source)
	if it.name != it.source.Name {
		text += fmt.Sprintf("as %s, ", it.name)
	}
	switch copies := len(it.copies) + len(it.refused); copies {
	case 0:
		return text + "no copy of " + s.tool.Name
	case 1:
		return text + "1 copy of " + s.tool.Name
	default:
		return fmt.Sprintf("%s%d copies of %s", text, copies, s.tool.Name)
	}
}

// ruleOf returns the rule for a group, without its destination.
func ruleOf(name string, it *group) *v1.ClusterProjection {
	return &v1.ClusterProjection{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "ClusterProjection"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.ClusterProjectionSpec{
			Source: v1.SourceRef{Group: it.source.Kind.Group, Kind: it.source.Kind.Kind, Namespace: it.source.Namespace, Name: it.source.Name},
			Policy: v1.Policy{
				OnConflict: v1.ConflictAdoptIdentical,
				Retain:     []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone, v1.RetainTargetDropped},
			},
		},
	}
}

// addGrant adds what the tool lets the owner of the source say, and a rule does not.
func (r *Result) addGrant(tool Tool, source *source) {
	if source.grant == nil {
		return
	}
	r.Notes = append(r.Notes, source.grant.lost...)
	for _, reach := range []reach{source.grant.pushes, source.grant.permits} {
		if len(reach.broken) > 0 {
			r.note("An annotation of %s cannot be read: %q.", tool.Name, strings.Join(reach.broken, ", "))
		}
	}
}

// addConsent adds how the owner of the source consents.
func (r *Result) addConsent(it *group, source *source, world World) {
	if said, isSaid := source.annotations[v1.AnnotationProjectable]; isSaid {
		r.addSaid(said, it, source, world)
		return
	}
	value, exact := consent(source.grant.permitted())
	if !exact || source.grant.unsaid {
		value = consentFor(it.ofSource)
	}
	if _, err := policy.PermissionOf(map[string]string{v1.AnnotationProjectable: value}); err != nil || !objectname.IsValid(it.source.Name) {
		r.note("To consent, the owner sets the annotation projection.sh/projectable on the source; no value is suggested for it.")
		return
	}
	r.note("To consent: kubectl annotate %s -n %s 'projection.sh/projectable=%s'", objectname.Argument(it.source.Kind, it.source.Name), it.source.Namespace, value)
	switch {
	case source.grant.unsaid:
		r.note(`That permits the namespaces that have a copy now. "true" permits every namespace.`)
	case !exact:
		r.note(`That permits the namespaces that have a copy now. So far these are permitted: %s. Label them and write "namespaces: LABEL=VALUE", or "true" for `+
			"every namespace.", permitted(source.grant))
	}
}

func permitted(given *grant) string {
	var parts []string
	for _, reach := range given.permitted() {
		if text := reach.String(); text != "" && !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "; ")
}

// addObstacles adds the copies that the operator does not adopt.
func (r *Result) addObstacles(s *Survey, it *group) {
	blocked := 0
	for _, ref := range it.copies {
		obstacle := s.copies[ref].obstacle
		if obstacle.Is == "" {
			continue
		}
		if blocked++; blocked <= maxListed {
			r.note("Not adopted as it is: %s %s; %s.", ref, obstacle.Is, obstacle.Advice)
		}
	}
	if more := blocked - maxListed; more > 0 {
		r.note("Nor are %d more.", more)
	}
}
