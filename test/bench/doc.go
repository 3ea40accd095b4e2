// Bench measures what people care about: how soon after a change does the last copy have it, and what does that cost
// the API server, in CPU and in memory?
//
//	bench           measures the manager, and beside it the limit: a client that does nothing but what has to be done
//	bench bare      for its own use: runs that client
//
// Both are processes beside a control plane that is started for them, one after the other, with the same objects. Times
// are taken from one observer's watches, requests from the API server's audit log, CPU and memory from /proc.
package main
