package property_test

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
)

// needNoConsent has the operator copy sources whose owners say nothing. Then copies could be sources, too; rules have none where sources are.
func (d *driver) needNoConsent() {
	d.permissive = true
	options := d.options
	d.options = func(o *app.Options) {
		options(o)
		o.SourceMode = "permissive"
	}
}

// target returns the namespace of copies in place of that role.
func (d *driver) target(role string) string {
	if d.permissive && slices.Contains(homes, role) {
		return "n3"
	}
	return role
}

// sparesHomes has the selector leave out the namespaces of sources if copies could be sources.
func (d *driver) sparesHomes(selector *v1.NamespaceSelector) {
	if !d.permissive {
		return
	}
	var names []string
	for _, role := range homes {
		names = append(names, d.name(role))
	}
	selector.MatchExpressions = append(selector.MatchExpressions, v1.NamespaceSelectorRequirement{
		Key: "kubernetes.io/metadata.name", Operator: metav1.LabelSelectorOpNotIn, Values: names,
	})
}
