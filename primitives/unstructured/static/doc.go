// Package static wraps an object that has no Go type and is ready as soon as it is applied.
package static
