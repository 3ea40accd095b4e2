// Demo shows the operator at work in a terminal, against a real control plane on loopback.
//
//	demo         tells the story; with KEEP=1 in its environment it leaves everything running
//	demo stop    ends what KEEP=1 has left
//	demo stage   for its own use: runs the control plane and the manager for the story
//
// The stage is a process of its own. It lives as long as its standard input is open, so it ends with the story,
// however that ends, unless the story asks it to stay.
package main
