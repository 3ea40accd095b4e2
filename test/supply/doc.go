// Package supply tests how the operator is built and released: that a build can be made again to the byte, and that the
// workflows ask for what there is.
package supply
