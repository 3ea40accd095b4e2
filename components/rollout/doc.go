// Package rollout decides whose turn it is when copies are changed one after the other. It is pure, and keeps nothing: what it decides
// follows from what the copies show, so a restart changes no decision.
package rollout
