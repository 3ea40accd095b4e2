// Package publication says where the copies of consumers' objects are in the cluster of a service.
//
// Everything here is pure: values in, values out, no API calls.
package publication
