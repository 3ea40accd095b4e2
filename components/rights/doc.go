// Package rights computes the permissions that the operator needs in another cluster: the least that what rules do there takes. It makes no request.
//
// Example: one Projection has its source in eu-1, a ConfigMap. The operator watches the metadata of all ConfigMaps there, since a watch is shared by
// the rules of a kind, and reads the source by its name. So it needs get, list and watch of ConfigMaps in the whole cluster, even if
// spec.scope.namespaces lists the namespaces of sources.
package rights
