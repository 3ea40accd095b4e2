// Package manager starts the operator's manager for tests: within the test program, or as a process of its own.
package manager
