// Package source finds out what a rule copies: which kind of the API is meant, and what the source says now.
//
// Its errors are typed, because what they mean decides whether copies stay. Gone is the only word for "the source does
// not exist"; every other error says that nothing is known.
package source
