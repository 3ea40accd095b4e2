// Package hostile tells what the operator does with objects, marks, rights and answers that mean it ill. The manager is a
// process of its own, as talkative as its flags allow, and everything it says is searched for what is secret.
package hostile
