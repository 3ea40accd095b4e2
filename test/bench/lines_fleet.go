package main

import (
	"fmt"
	"slices"

	"projection.sh/operator/components/source"
	"projection.sh/operator/test/env"
)

// writesCopies reports whether a request writes a copy in the hub.
func writesCopies(r env.Request) bool {
	return r.Resource == "configmaps" && (r.Verb == "patch" || r.Verb == "create" || r.Verb == "update" || r.Verb == "delete")
}

// fleetLines are those of a hub with many clusters.
func (s sizes) fleetLines() []line {
	pages := (s.fleetObjects + source.PageSize - 1) / source.PageSize // of the sources that a rule of a pull selects
	// A manager that writes into a cluster waits until the lease there of the former one is no longer valid, which could not give it back.
	const untilLeaseEnds = 200
	return slices.Concat(s.fleetLinesOf("pull", pages, 60), s.fleetLinesOf("push", 1, untilLeaseEnds))
}

// fleetLinesOf are those of one direction, in which an edit is so many requests to the cluster, and arrives after so many seconds in one that was dead.
func (s sizes) fleetLinesOf(direction string, requests int, healed float64) []line {
	title := fmt.Sprintf("%s %d x %d: ", direction, s.fleetClusters, s.fleetObjects)
	at := func(name string) string { return "fleet." + direction + "." + name }
	return []line{
		{title + "connect", "all connected", "s", at("connected"), none, 0},
		{"", "requests to each cluster", "", at("connected.requests"), none, 0},
		{"", "RSS", "MiB", at("connected.rss"), none, 0},
		{"", "heap", "MiB", at("connected.heap"), none, 0},
		{"", "goroutines", "", at("connected.goroutines"), none, 0},
		{title + "copy", "last copy", "s", at("copied"), none, 0},
		{"", "RSS", "MiB", at("loaded.rss"), none, 0},
		{"", "heap", "MiB", at("loaded.heap"), none, 0},
		{title + "restart", "in sync", "s", at("restart.ready"), value, 60},
		{"", "writes of copies", "", at("restart.writes"), count, 0},
		{"", "requests to each cluster", "", at("restart.requests"), none, 0},
		{"", "requests to the hub", "", at("restart.hub"), none, 0},
		{"", "CPU", "s", at("restart.cpu"), none, 0},
		{"", "RSS", "MiB", at("restart.rss"), value, 1536},
		{"", "heap", "MiB", at("restart.heap"), none, 0},
		{"", "goroutines", "", at("restart.goroutines"), value, 25 * float64(s.fleetClusters)},
		{"", "connections", "", at("connections"), count, float64(s.fleetClusters)},
		{title + "an edit in each", "first copy", "ms", at("edit.first"), none, 0},
		{"", "last copy", "s", at("edit.last"), none, 0},
		{"", "requests to each cluster", "", at("edit.requests"), count, float64(requests)},
		{"", "requests to the hub for each", "", at("edit.hub"), none, 0},
		{"", "CPU", "s", at("edit.cpu"), none, 0},
		{title + "idle " + s.idle.String(), "requests, but for leases", "", at("idle.requests"), count, 0},
		{"", "requests for leases, each", "", at("idle.leases"), value, 1.1},
		{"", "requests to the hub", "", at("idle.hub"), count, 0},
		{"", "CPU", "s", at("idle.cpu"), none, 0},
		{title + "edits in one cluster", "median", "ms", at("one"), none, 0},
		{"", "median, one in ten dead", "ms", at("onedead"), none, 0},
		{"", "delay by the dead", "ms", at("delay"), value, 100},
		{title + "one in ten dead", "edit: first copy", "ms", at("dead.first"), none, 0},
		{"", "edit: last copy", "s", at("dead.last"), none, 0},
		{"", "restart: others in sync", "s", at("deadrestart.ready"), value, 60},
		{"", "restart: writes of copies", "", at("deadrestart.writes"), count, 0},
		{"", "healed: last copy", "s", at("healed.last"), value, healed},
		{"", "RSS", "MiB", at("healed.rss"), none, 0},
		{"", "goroutines", "", at("healed.goroutines"), none, 0},
	}
}
