package convert

import (
	"regexp"
	"strings"

	"projection.sh/operator/components/expressions"
)

// clusterName is the expression for the name of the RemoteCluster of the consumer.
const clusterName = "cluster.name"

// objectVariable is the variable for the object of a consumer, or the copy of one.
const objectVariable = "object"

// placeholders are those of the former language of names, and templates with the same result. Longer ones come first.
var placeholders = strings.NewReplacer(
	"$remoteNamespaceHash", "{{ .Object.metadata.namespace | shortHash }}", "$remoteNamespace", "{{ .Object.metadata.namespace }}",
	"$remoteNameHash", "{{ .Object.metadata.name | shortHash }}", "$remoteName", "{{ .Object.metadata.name }}",
	"$remoteClusterName", "{{ .ClusterName }}",
)

var aPlaceholder = regexp.MustCompile(`\$remote[A-Za-z]+`)

// ofNames is what templates of names know.
var ofNames = scope{
	roots:   map[string]string{"Object": objectVariable, "ClusterName": clusterName},
	refused: map[string]string{"ClusterPath": "a RemoteCluster has no path of a workspace"},
}

func (r *Result) naming(from *theirNaming) {
	const field = "spec.naming"
	if from == nil || from.Name == "" && from.Namespace == "" {
		r.note(field, "copies have the names and namespaces that the operator gives them by default, which are other ones than those of api-syncagent, and never "+
			"collide: set spec.naming if copies have to be elsewhere")
		return
	}
	to := &r.Resource.Spec.Naming
	to.Namespace = r.nameExpression(field+".namespace", from.Namespace)
	to.Name = r.nameExpression(field+".name", from.Name)
}

// nameExpression returns the expression for a name; empty: that by default.
func (r *Result) nameExpression(field, template string) string {
	if template == "" {
		return ""
	}
	template = placeholders.Replace(template)
	if unknown := aPlaceholder.FindString(template); unknown != "" {
		r.lose(field, "the placeholder %s is not known; the default is used", unknown)
		return ""
	}
	made, err := ofNames.translate(template)
	if err == nil {
		_, err = expressions.CompilePublishedText("", made.text)
	}
	if err != nil {
		r.lose(field, "%s; the default is used: write an expression, such as object.metadata.name + '-' + hash(object.metadata.namespace)", err)
		return ""
	}
	if made.hashes {
		r.note(field, "the hash is another one than that of api-syncagent, so that copies have other names than before")
	}
	if strings.Contains(made.text, clusterName) {
		r.note(field, "cluster.name is the name of the RemoteCluster, in place of the id of a workspace; cluster.id is the uid of its namespace kube-system")
	}
	return made.text
}
