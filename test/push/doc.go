// Package push tests rules with copies in other clusters, on three control planes: the hub, in which the operator and the rules are, and two members.
package push
