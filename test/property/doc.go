// Package property holds the test of what must be true whatever happens: random histories of sources, namespaces, rules,
// foreign objects, third parties, restarts, missing rights and stale API servers, compared with what package oracle says.
package property
