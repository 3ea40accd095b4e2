package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/owner"
)

// owned names the rule that a copy names.
type owned struct {
	kind owner.RuleKind
	rule types.NamespacedName
}

// copied is an object with the label of copies.
type copied struct{ forecast.Object }

func (c copied) fullName() string { return objectname.Argument(c.GroupKind(), c.Name) }

// orphans are the copies of a rule that was not listed.
type orphans struct {
	count int
	first forecast.Object
}

// checkCopies checks the objects with a label of copies, in a namespace or in all. Of these, only those that are wrong are kept in memory.
func (f *findings) checkCopies(ctx context.Context, cluster *access.Cluster, rules access.Rules, namespace string) error {
	listed := map[owned]bool{}
	f.hidesRules, f.uids = len(rules.Unknown) > 0, map[string]bool{}
	for _, rule := range rules.Items {
		f.uids[string(rule.UID)] = true
		listed[owned{rule.Kind, rule.Key()}] = true
	}
	unlisted := map[owned]orphans{}
	kinds, err := kindsOfCopies(cluster.Mapper, rules.Items)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		for _, ruleKind := range []owner.RuleKind{owner.ClusterProjection, owner.Projection} {
			ofRules := metav1.ListOptions{LabelSelector: ruleKind.Label}
			err := cluster.EachMetadata(ctx, kind.Resource, namespace, ofRules, func(object *metav1.PartialObjectMetadata) error {
				f.checkCopy(ruleKind, kind.GroupVersionKind.GroupKind(), object, listed, unlisted)
				return nil
			})
			if access.IsUnknown(err) {
				f.Unknown = append(f.Unknown, "you may not list "+kind.Resource.GroupResource().String()+inScope(namespace))
				break
			}
			if err != nil {
				return err
			}
		}
	}
	return f.checkOrphans(ctx, cluster, unlisted)
}

// inScope says in a sentence where something was listed.
func inScope(namespace string) string {
	if namespace == metav1.NamespaceAll {
		return " in all namespaces"
	}
	return " in " + namespace
}

// kindsOfCopies returns ConfigMaps, Secrets and the kinds of which the rules have copies, or had some.
func kindsOfCopies(mapper meta.RESTMapper, rules []access.Rule) ([]*meta.RESTMapping, error) {
	kinds := map[schema.GroupKind]bool{{Kind: "ConfigMap"}: true, {Kind: "Secret"}: true}
	for _, rule := range rules {
		kinds[rule.Spec.KindOfCopies()] = true
		for name := range strings.SplitSeq(rule.Object.GetAnnotations()[v1.AnnotationWrittenKinds], ",") {
			kinds[schema.ParseGroupKind(strings.TrimSpace(name))] = true
		}
	}
	var mappings []*meta.RESTMapping
	for kind := range kinds {
		mapping, err := mapper.RESTMapping(kind)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		mappings = append(mappings, mapping)
	}
	slices.SortFunc(mappings, func(a, b *meta.RESTMapping) int {
		return strings.Compare(a.Resource.GroupResource().String(), b.Resource.GroupResource().String())
	})
	return mappings, nil
}

// checkCopy checks one object with the label of copies of rules of that kind.
func (f *findings) checkCopy(
	ruleKind owner.RuleKind, kind schema.GroupKind, object *metav1.PartialObjectMetadata, listed map[owned]bool, unlisted map[owned]orphans,
) {
	about := forecast.ObjectOf(kind, types.NamespacedName{Namespace: object.Namespace, Name: object.Name})
	name, isOwned := ruleKind.OwnerOf(object)
	of := owned{ruleKind, name}
	switch {
	case owner.IsAmbiguous(object):
		f.add(codeAmbiguous, copied{about}, "the object names two rules as its owner, and belongs to none: remove one of the annotations")
	case isOwned && !listed[of]:
		known := unlisted[of]
		if known.count++; known.count == 1 {
			known.first = about
		}
		unlisted[of] = known
	case !isOwned && !owner.IsElsewhere(object) && object.Annotations[ruleKind.Annotation] == "" && !f.mayBeReleased(object.Labels[ruleKind.Label]):
		f.add(codeReleased, copied{about}, "the object has the label of copies, and is that of no rule: remove the label "+ruleKind.Label)
	}
}

// mayBeReleased reports whether a rule may have the uid. An object that was released from it keeps its label, so that the rule does not adopt it.
func (f *findings) mayBeReleased(uid string) bool { return f.hidesRules || f.uids[uid] }

// checkOrphans asks for each rule that was not listed.
func (f *findings) checkOrphans(ctx context.Context, cluster *access.Cluster, unlisted map[owned]orphans) error {
	var missing []owned
	for of := range unlisted {
		missing = append(missing, of)
	}
	slices.SortFunc(missing, func(a, b owned) int { return strings.Compare(a.kind.Name+a.rule.String(), b.kind.Name+b.rule.String()) })
	for _, of := range missing {
		_, err := cluster.Rule(ctx, of.kind, of.rule.Namespace, of.rule.Name)
		copies, name := unlisted[of], unreadableRule(of.kind, of.rule.Namespace, of.rule.Name).String()
		switch {
		case apierrors.IsNotFound(err):
			message := fmt.Sprintf("the object is a copy of the %s, which does not exist: nobody keeps it in sync", name)
			if copies.count > 1 {
				message += fmt.Sprintf("; so are %d more", copies.count-1)
			}
			f.add(codeOrphan, copied{copies.first}, message)
		case access.IsUnknown(err):
			f.Unknown = append(f.Unknown, fmt.Sprintf("whether the %s exists, of which there are copies", name))
		case err != nil:
			return err
		}
	}
	return nil
}
