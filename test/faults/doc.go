// Package faults lets things go wrong between a manager and its API server. A Proxy stands between the two and spoils
// requests, answers and watches by rules.
//
// What a proxy spoils depends on its seed, on the request, and on how often the same request came before, and not on
// which of several requests is faster.
package faults
