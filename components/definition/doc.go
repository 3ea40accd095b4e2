// Package definition compares the CustomResourceDefinitions of rules with the types that this program was built with. A
// program that is older than the definitions would drop what it does not know when it decodes a rule, and serve the rest.
package definition
