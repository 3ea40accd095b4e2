// Package deploy tests what installs the operator: the Helm chart, the kustomize directories and the rendered manifest.
// Whatever they make is accepted by a real API server, and the operator's rights are compared with what it asks for.
package deploy
