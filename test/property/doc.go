// Package property holds the test of what must be true whatever happens: random histories of sources, namespaces, rules,
// foreign objects, third parties and restarts, against a real API server, compared with what package oracle says.
package property
