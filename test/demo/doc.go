// Demo shows the operator at work in a terminal, against a real control plane on loopback.
//
//	demo <manager>               tells the story of that program; with KEEP=1 in its environment it leaves everything running
//	demo stop                    ends what KEEP=1 has left
//	demo kubeconfig              prints the path of the kubeconfig of what KEEP=1 has left
//	demo stage <manager> <logs>  for its own use: runs the control plane and the manager for the story
//
// With CLUSTERS=2 in its environment, it tells the story of two clusters instead: the operator's, and one by the name of eu-1.
//
// The last line that it prints counts what the story has shown: "demo: 9 checks, 9 passed".
//
// The stage is a process of its own. It lives as long as its standard input is open, so it ends with the story,
// however that ends, unless the story asks it to stay.
package main
