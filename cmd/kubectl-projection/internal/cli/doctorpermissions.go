package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// Verbs that the operator needs on a kind. In the name of a service account it reads sources and writes copies with the permissions of that.
const (
	verbsOfSource          = "get list watch"
	verbsOfCopies          = "get list watch create patch delete"
	verbsOfSourceByAccount = "list watch"
	verbsOfCopiesByAccount = "list watch delete"
)

// operatorLabels selects the Deployments of the operator. The chart, the kustomizations and the manifest of a release set the label.
const operatorLabels = "app.kubernetes.io/name=projection"

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// need is what the operator has to be allowed on a kind.
type need struct {
	resource schema.GroupResource
	verbs    sets.Set[string]
	// rules are those that need it; empty: only the caller has asked.
	rules []string
}

// add notes that somebody needs the verbs.
func (n *need) add(rule, verbs string) {
	n.verbs.Insert(strings.Fields(verbs)...)
	if rule != "" && !slices.Contains(n.rules, rule) {
		n.rules = append(n.rules, rule)
	}
}

func (n *need) String() string {
	switch len(n.rules) {
	case 0:
		return "no rule needs it yet"
	case 1:
		return "the " + n.rules[0] + " needs it"
	default:
		return fmt.Sprintf("the %s needs it, and %s", n.rules[0], count(len(n.rules)-1, "other rule", "other rules"))
	}
}

// needs are what the operator has to be allowed on the kinds of rules, and on others that the caller names.
type needs struct {
	mapper meta.RESTMapper
	of     map[schema.GroupResource]*need
}

func newNeeds(mapper meta.RESTMapper, rules []access.Rule, named []*meta.RESTMapping) (needs, error) {
	n := needs{mapper, map[schema.GroupResource]*need{}}
	for _, rule := range rules {
		source, copies := verbsOfSource, verbsOfCopies
		if rule.Spec.Account != nil {
			source, copies = verbsOfSourceByAccount, verbsOfCopiesByAccount
		}
		var kinds []schema.GroupKind
		if rule.SourceCluster == "" {
			kinds = append(kinds, rule.Spec.Source.GroupKind())
		}
		for _, layer := range rule.Spec.Merge.Layers {
			kinds = append(kinds, layer.Source.GroupKind())
		}
		for _, kind := range kinds {
			if err := n.addKind(rule, kind, source); err != nil {
				return needs{}, err
			}
		}
		if rule.Clusters != nil { // the copies are not in this cluster
			continue
		}
		if err := n.addKind(rule, rule.Spec.KindOfCopies(), copies); err != nil {
			return needs{}, err
		}
	}
	for _, mapping := range named {
		n.at(mapping).add("", verbsOfCopies)
	}
	return n, nil
}

// addKind notes what a rule needs. A kind that the API server does not serve is the problem of the rule.
func (n needs) addKind(rule access.Rule, kind schema.GroupKind, verbs string) error {
	mapping, err := n.mapper.RESTMapping(kind)
	if err == nil {
		n.at(mapping).add(rule.String(), verbs)
	} else if meta.IsNoMatchError(err) {
		err = nil
	}
	return err
}

func (n needs) at(mapping *meta.RESTMapping) *need {
	resource := mapping.Resource.GroupResource()
	if n.of[resource] == nil {
		n.of[resource] = &need{resource: resource, verbs: sets.New[string]()}
	}
	return n.of[resource]
}

// checkPermissions checks what the service accounts of the operator may do with the kinds of the rules, and with those that the caller names.
func (f *findings) checkPermissions(
	ctx context.Context, cluster *access.Cluster, reviews *reviews, namespace string, rules []access.Rule, kinds []string,
) error {
	named, err := namedResources(cluster.Mapper, kinds)
	if err != nil {
		return err
	}
	wanted, err := newNeeds(cluster.Mapper, rules, named)
	if err != nil {
		return err
	}
	accounts, err := accountsOf(ctx, cluster, namespace)
	switch {
	case access.IsUnknown(err):
		f.Unknown = append(f.Unknown, "the permissions of the operator (you may not list deployments in "+namespace+")")
		return nil
	case err != nil:
		return err
	case len(accounts) == 0:
		f.Unknown = append(f.Unknown, "the permissions of the operator (no Deployment in "+namespace+" has the label "+operatorLabels+")")
		return nil
	}
	missing, err := reviews.missing(ctx, cluster, namespace, accounts, wanted)
	if access.IsUnknown(err) {
		f.Unknown = append(f.Unknown, "the permissions of the operator (you may not create subjectaccessreviews)")
		return nil
	}
	for _, lacking := range missing {
		f.add(codePermission, nil, fmt.Sprintf("the operator may not %s %s in all namespaces: %s; add the kind to supportedKinds of the chart, "+
			"or permit it to the service account %s/%s", strings.Join(lacking.verbs, ", "), lacking.of.resource, lacking.of, namespace, lacking.account))
	}
	return err
}

// accountsOf returns the names of the service accounts of the operator, sorted.
func accountsOf(ctx context.Context, cluster *access.Cluster, namespace string) ([]string, error) {
	accounts := sets.New[string]()
	list, err := cluster.Content.Resource(deployments).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: operatorLabels})
	if err != nil {
		return nil, err
	}
	for _, deployment := range list.Items {
		account, _, _ := unstructured.NestedString(deployment.Object, "spec", "template", "spec", "serviceAccountName")
		if account == "" {
			account = "default"
		}
		accounts.Insert(account)
	}
	return sets.List(accounts), nil
}
