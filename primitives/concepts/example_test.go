package concepts_test

import (
	"fmt"

	"projection.sh/operator/primitives/concepts"
)

// A mutation reads a cell with Get if it can do without, and with Require if it cannot.
func ExampleData() {
	hash := concepts.NewData[string]("config-hash")
	_, err := hash.Require()
	fmt.Println(err)

	hash.Set("7f83b1")
	value, ok := hash.Get()
	fmt.Println(value, ok)
	// Output:
	// data "config-hash": data not extracted
	// 7f83b1 true
}
