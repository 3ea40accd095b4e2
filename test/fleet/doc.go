// Package fleet tests what the operator does to other clusters against real control planes.
package fleet
