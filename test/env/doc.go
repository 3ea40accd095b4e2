// Package env starts real control planes for tests and for the demo: etcd and kube-apiserver through envtest,
// and kube-controller-manager beside them where namespaces have to end and garbage has to be collected.
//
// Package manager below it starts the operator, and package fixture has what one test needs of a cluster.
//
// The programs come from KUBEBUILDER_ASSETS or, if that is unset, from test/controlplane, which builds them once.
package env
