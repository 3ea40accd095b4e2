// Package image tests the Dockerfile without a container runtime: it runs the commands of the build stage on what they would
// find there, and looks at the program that they make and at what the last stage takes from it.
package image
