// Package feature decides which parts of a resource are switched on, by values and by versions.
//
// A Mutation is a named change of one resource; its Gate says whether the change applies. Gates read values that are
// known when the resource is built, so that the same inputs always give the same object.
package feature
