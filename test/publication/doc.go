// Package publication tests PublishedResources on two control planes: the hub, in which the operator is, and a member.
package publication
