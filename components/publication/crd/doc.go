// Package crd turns the CustomResourceDefinition of a service into the one that consumers see, and judges whether one that is installed
// can be replaced without harm to the objects that are stored.
//
// Everything here is pure: definitions in, a definition or an error out, no API calls.
package crd
