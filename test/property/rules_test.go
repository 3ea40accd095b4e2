package property_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

func (d *driver) sourceRef() v1.SourceRef {
	kind := pick(d, kinds)
	ref := v1.SourceRef{Group: kind.Group, Kind: kind.Kind, Namespace: d.name(pick(d, homes)), Name: pick(d, sources)}
	if d.chance(20) {
		ref.Version = kind.Version
	}
	return ref
}

func (d *driver) overlay() v1.Overlay {
	if d.chance(70) {
		return v1.Overlay{}
	}
	return v1.Overlay{Labels: map[string]string{"color": pick(d, colors)}, Annotations: map[string]string{"overlay": pick(d, colors)}}
}

// content chooses what is copied. It uses numbers of its own, so that histories without it stay as they are. The label of the world
// is always copied: copies are found by it.
func (d *driver) content(kind string) v1.Content {
	rng := rand.New(rand.NewPCG(d.seed, uint64(len(d.history))))
	labels := []v1.KeyFilter{{}, {}, {Exclude: []string{"color"}}, {Include: []string{worldLabel, "c*"}}, {Include: []string{"wor*"}, Exclude: []string{"*or"}}}
	annotations := []v1.KeyFilter{{}, {}, {Exclude: []string{"*"}}, {Include: []string{"note", "other"}}, {Include: []string{"*"}, Exclude: []string{"n*e"}}}
	chosen := v1.Content{Labels: labels[rng.IntN(len(labels))], Annotations: annotations[rng.IntN(len(annotations))]}
	if kind != widget.Kind {
		data := []v1.DataFilter{
			{}, {}, {}, {Exclude: []string{"size"}}, {Include: []string{"c*", "n*"}}, {Include: []string{"color", "size"}, AllowMissing: true},
			{Exclude: []string{"n*"}, Rename: []v1.KeyRename{{Pattern: "(.*)or", To: "$1our"}, {From: "size", To: "c"}}, AllowMissing: true},
		}
		chosen.Data = data[rng.IntN(len(data))]
	}
	return chosen
}

// copyKind chooses the kind of the copies of a rule, and for a ConfigMap of a Secret also the keys. It uses numbers of its own, too.
func (d *driver) copyKind(source v1.SourceRef, chosen *v1.Content) string {
	rng := rand.New(rand.NewPCG(^d.seed, uint64(len(d.history))))
	if source.Kind == widget.Kind || rng.IntN(2) == 0 {
		return ""
	}
	kind := []string{"ConfigMap", "Secret"}[rng.IntN(2)]
	if source.Kind == "Secret" && kind == "ConfigMap" {
		data := []v1.DataFilter{
			{Include: []string{"color"}, AllowMissing: true}, {Include: []string{"color", "size"}, AllowMissing: true},
			{Include: []string{"color", "size"}, Exclude: []string{"s*"}, AllowMissing: true},
			{Include: []string{"size"}, Rename: []v1.KeyRename{{From: "size", To: "color"}}, AllowMissing: true},
		}
		chosen.Data = data[rng.IntN(len(data))]
	}
	return kind
}

// policy chooses how copies change, and what happens to those that are not wanted any more. It uses numbers of its own, too.
func (d *driver) policy() v1.Policy {
	rng := rand.New(rand.NewPCG(d.seed, ^uint64(len(d.history))))
	retained := [][]v1.RetainCause{
		nil, nil, nil, {v1.RetainSourceGone}, {v1.RetainSourceGone}, {v1.RetainRuleDeleted}, {v1.RetainTargetDropped},
		{v1.RetainRuleDeleted, v1.RetainSourceGone, v1.RetainTargetDropped},
	}
	chosen := v1.Policy{Retain: retained[rng.IntN(len(retained))]}
	if rng.IntN(4) == 0 {
		chosen.Updates = v1.UpdateCreateOnly
	}
	if rng.IntN(6) == 0 {
		chosen.OnConflict = v1.ConflictSkip
	}
	return chosen
}

// suspend chooses whether a rule is suspended. It uses numbers of its own, too.
func (d *driver) suspend() bool {
	return rand.New(rand.NewPCG(d.seed, ^uint64(len(d.history))+1)).IntN(4) == 0
}

// fields chooses the fields that a rule sets in its copies. It uses numbers of its own, too.
func (d *driver) fields(source v1.SourceRef) (chosen []v1.OverlayField) {
	rng := rand.New(rand.NewPCG(d.seed+1, uint64(len(d.history))))
	all := []v1.OverlayField{oracle.FieldOfTarget, oracle.FieldOfSource, oracle.FieldIfRed, oracle.FieldOfSome}
	if source.Kind != widget.Kind {
		all = append(all, oracle.FieldOfData)
	}
	for _, field := range all {
		if rng.IntN(5) == 0 {
			chosen = append(chosen, field)
		}
	}
	return chosen
}

func (d *driver) destinationName() string { return pick(d, []string{"", "", "", "a", "b", "x"}) }

// nameExpression chooses what names the copies of a rule without a name. It uses numbers of its own, too.
func (d *driver) nameExpression() string {
	rng := rand.New(rand.NewPCG(d.seed+3, uint64(len(d.history))))
	all := []string{"", "", "", oracle.NameByGroup, oracle.NameByGroup, oracle.NameOfSome, oracle.NameOfSource}
	return all[rng.IntN(len(all))]
}

// projection returns one of two Projections that may be in each namespace.
func (d *driver) projection() *v1.Projection {
	return &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name(d.target(pick(d, roles))), Name: pick(d, []string{"p1", "p2"}), Labels: d.labels()}}
}

func (d *driver) clusterProjection() *v1.ClusterProjection {
	return &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name(pick(d, []string{"c1", "c2", "c3"})), Labels: d.labels()}}
}

func (d *driver) putProjection() {
	rule := d.projection()
	spec := v1.ProjectionSpec{Source: d.sourceRef(), Destination: v1.ProjectionDestination{Name: d.destinationName()}, Overlay: d.overlay()}
	spec.ServiceAccountName = d.account()
	spec.Content, spec.Policy = d.content(spec.Source.Kind), d.policy()
	spec.Policy.Retain = slices.DeleteFunc(spec.Policy.Retain, func(cause v1.RetainCause) bool { return cause == v1.RetainTargetDropped })
	spec.Destination.Kind = d.copyKind(spec.Source, &spec.Content)
	spec.Suspend = d.suspend() && spec.Policy.OnConflict == ""
	spec.Overlay.Fields = d.fields(spec.Source)
	d.onImmutable(spec.Source.Kind, &spec.Policy, &spec.Content)
	if !d.named { // without a service account, a Projection recreates nothing
		spec.Policy.OnImmutable = ""
	}
	if spec.Destination.Name == "" {
		spec.Destination.NameExpression = d.nameExpression()
	}
	d.selector(&spec.Source, &spec.Destination.Name, &spec.Destination.NameExpression, &spec.Policy)
	spec.Merge = d.merge(spec.Source, spec.Destination.Kind)
	if spec.Merge != nil && spec.Source.Selector != nil {
		spec.Destination.Name, spec.Destination.NameExpression = d.nameOfMerged(), ""
	}
	rule.Spec = spec
	d.retains(rule, spec.Policy)
	err := d.put(rule, func() { rule.Spec = spec })
	d.did(err, "put Projection %s/%s %s overlay=%v content=%v policy=%v merge=%v suspend=%t account=%q", rule.Namespace, rule.Name,
		short(spec.Source, spec.Destination.Kind+" "+spec.Destination.Name+spec.Destination.NameExpression), spec.Overlay, spec.Content, spec.Policy, spec.Merge, spec.Suspend, spec.ServiceAccountName)
}

func (d *driver) putClusterProjection() {
	rule := d.clusterProjection()
	spec := v1.ClusterProjectionSpec{
		Source: d.sourceRef(), Overlay: d.overlay(),
		Destination: v1.ClusterProjectionDestination{Name: d.destinationName()},
	}
	spec.ServiceAccount = d.ofHome(d.account())
	spec.Content, spec.Policy = d.content(spec.Source.Kind), d.policy()
	spec.Destination.Kind = d.copyKind(spec.Source, &spec.Content)
	spec.Overlay.Fields = d.fields(spec.Source)
	if spec.Destination.Name == "" {
		spec.Destination.NameExpression = d.nameExpression()
	}
	if spec.Source.Kind == widget.Kind && len(d.history)%3 == 0 {
		spec.Content.Fields.Exclude = []string{"spec.size", "spec.none"}
	}
	d.onImmutable(spec.Source.Kind, &spec.Policy, &spec.Content)
	spec.Destination.Namespaces, spec.Destination.NamespaceSelector = d.targets()
	d.adopts(rule, &spec)
	spec.Suspend = d.suspend() && spec.Policy.OnConflict == ""
	spec.Rollout = d.rollout()
	d.selector(&spec.Source, &spec.Destination.Name, &spec.Destination.NameExpression, &spec.Policy)
	spec.Merge = d.merge(spec.Source, spec.Destination.Kind)
	if spec.Merge != nil && spec.Source.Selector != nil {
		spec.Destination.Name, spec.Destination.NameExpression = d.nameOfMerged(), ""
	}
	rule.Spec = spec
	d.retains(rule, spec.Policy)
	err := d.put(rule, func() { rule.Spec = spec })
	d.did(err, "put ClusterProjection %s %s to %v %v overlay=%v content=%v policy=%v merge=%v suspend=%t rollout=%v account=%v", rule.Name, short(spec.Source, spec.Destination.Kind+" "+spec.Destination.Name+spec.Destination.NameExpression),
		spec.Destination.Namespaces, spec.Destination.NamespaceSelector, spec.Overlay, spec.Content, spec.Policy, spec.Merge, spec.Suspend, spec.Rollout, spec.ServiceAccount)
}

// targets chooses the namespaces of a ClusterProjection: a list, or a selector.
func (d *driver) targets() (listed []string, selector *v1.NamespaceSelector) {
	if d.chance(40) {
		for _, role := range append([]string{"never"}, roles...) {
			if d.chance(50) {
				listed = append(listed, d.name(d.target(role)))
			}
		}
		if len(listed) == 0 {
			listed = []string{d.name("n3")}
		}
		slices.Sort(listed)
		return slices.Compact(listed), nil
	}
	selector = &v1.NamespaceSelector{MatchLabels: map[string]string{worldLabel: d.id}}
	switch {
	case d.chance(50):
		selector.MatchLabels[groupLabel] = pick(d, groups[1:])
	case d.chance(60):
		selector.MatchExpressions = []v1.NamespaceSelectorRequirement{d.requirement()}
	}
	d.sparesHomes(selector)
	return nil, selector
}

// selector chooses whether a rule selects its sources, and by which labels. It uses numbers of its own, too.
func (d *driver) selector(source *v1.SourceRef, name, expression *string, policy *v1.Policy) {
	rng := rand.New(rand.NewPCG(d.seed+2, uint64(len(d.history))))
	if rng.IntN(5) != 0 {
		return
	}
	selectors := []v1.SourceSelector{
		{}, {MatchLabels: map[string]v1.LabelValue{"color": "red"}},
		{MatchExpressions: []v1.WaveSelectorRequirement{{Key: "color", Operator: metav1.LabelSelectorOpNotIn, Values: []v1.LabelValue{"red"}}}},
		{MatchExpressions: []v1.WaveSelectorRequirement{{Key: "color", Operator: metav1.LabelSelectorOpExists}}},
	}
	names := []string{"", "", oracle.NameByGroup, oracle.NameOfSome, oracle.NameOfSource, oracle.NameByColor}
	source.Name, source.Selector, *name = "", &selectors[rng.IntN(len(selectors))], ""
	if d.permissive { // what others put into each namespace is no part of the history
		labels := map[string]v1.LabelValue{worldLabel: d.id}
		maps.Copy(labels, source.Selector.MatchLabels)
		source.Selector.MatchLabels = labels
	}
	*expression = names[rng.IntN(len(names))]
	if policy.OnConflict != v1.ConflictSkip {
		policy.OnConflict = ""
	}
}

// requirement chooses a requirement of a selector.
func (d *driver) requirement() v1.NamespaceSelectorRequirement {
	switch operator := pick(d, []metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist"}); operator {
	case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn:
		values := [][]v1.LabelValue{{"red"}, {"blue"}, {"red", "blue"}}
		return v1.NamespaceSelectorRequirement{Key: groupLabel, Operator: operator, Values: pick(d, values)}
	default:
		return v1.NamespaceSelectorRequirement{Key: pick(d, []string{groupLabel, "absent"}), Operator: operator}
	}
}

func short(source v1.SourceRef, destination string) string {
	if source.Selector != nil {
		return fmt.Sprintf("%s %s/%v as %q", source.Kind, source.Namespace, *source.Selector, destination)
	}
	return fmt.Sprintf("%s %s/%s as %q", source.Kind, source.Namespace, source.Name, destination)
}

// put creates the rule, or gives the one that is there the new spec.
func (d *driver) put(rule client.Object, edit func()) error {
	ctx := context.Background()
	d.edits(rule)
	err := d.client.Create(ctx, rule)
	for try := 0; try < 5 && (apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err)); try++ {
		if err = d.client.Get(ctx, client.ObjectKeyFromObject(rule), rule); err == nil {
			edit()
			err = d.client.Update(ctx, rule)
		}
	}
	return err
}

// edits notes that the history is about to give the rule this spec.
func (d *driver) edits(rule client.Object) {
	if d.witness != nil {
		d.witness.edits(rule)
	}
	if d.foreseen != nil {
		d.foresee(rule.(oracle.Rule))
	}
}

func (d *driver) deleteRule() {
	rules := []client.Object{d.projection(), d.clusterProjection(), d.clusterProjection()}
	rule := pick(d, rules)
	d.did(d.client.Delete(context.Background(), rule), "delete rule %T %s/%s", rule, rule.GetNamespace(), rule.GetName())
}
