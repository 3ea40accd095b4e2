// Package lane bounds the requests to each namespace, so that a slow namespace delays no other.
//
// A lane has a few slots for requests to one namespace. Besides, all requests share a budget. A request that is slow gives
// its part of that budget back, and counts against a second budget, for slow requests only.
//
// Example: an admission webhook takes 10 s for every write to the namespace team-a, where 40 Projections have their copy.
// Four requests to team-a are under way at a time. The other 36 Projections are enqueued again as slots become free. All
// other namespaces are written to as if team-a did not exist.
package lane
