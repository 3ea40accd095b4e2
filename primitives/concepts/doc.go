// Package concepts defines what a component may ask of a resource: the interfaces of its life cycle and the statuses
// they report. A resource takes part in a concept by implementing its interface; package component detects that by type
// assertion.
//
// The strings of the statuses appear as reasons of conditions and are part of the API.
package concepts
