// Package component turns desired resources into applied ones and tells their owner how that went.
//
// A Component is one logical part of an owner: an ordered list of resources and one condition type. Reconcile works
// through the resources in the order of their registration and writes the condition into the owner in memory;
// FlushStatus then writes the status of the owner once, for all its components.
//
//	gate → prerequisites → suspension → for each resource: guard, apply or read, extract → delete → orphan
//
// Reconcile is Converge and Stage. Converge does all the I/O and leaves the owner alone, so the components of one owner
// may converge at the same time; Stage decides the condition from what Converge found.
//
// The package is the only one of the kit that talks to an API server. It never asks for a requeue, sets no watches and
// keeps no state between reconciles: build components afresh each time.
package component
