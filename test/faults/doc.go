// Package faults lets things go wrong between a manager and its API server. A Proxy stands between the two and spoils
// requests, answers and watches by rules; a Manager runs as a process of its own, which can be frozen and killed.
//
// What a proxy spoils depends on its seed, on the request, and on how often the same request came before, and not on
// which of several requests is faster.
package faults
