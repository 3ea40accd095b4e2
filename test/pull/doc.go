// Package pull tests rules with a source in another cluster, on two control planes: the hub, in which the operator and the rules are, and a member.
package pull
