// Package v1 is the API shop.example.com/v1: WebApp, which the example operator serves, and Site, which that of the quick
// start serves.
//
// +kubebuilder:object:generate=true
// +groupName=shop.example.com
package v1
