// Package supply tests how the operator is built and released: that a build can be made again to the byte, that make demo shows
// what it compiles, where the programs of a control plane are taken from, and that the workflows ask for what there is.
package supply
