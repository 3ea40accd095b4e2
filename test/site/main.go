// The program is the part of make site that mkdocs does not do.
//
//	go run ./test/site collect dist/site-src    # copies the pages, and the files that they link to
//	go run ./test/site check dist/site          # looks up the links and anchors of the site that mkdocs has built
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 {
		switch args[0] {
		case "collect":
			return collect(".", args[1])
		case "check":
			return check(args[1])
		}
	}
	return errors.New("usage: site collect <directory of the pages>, or site check <directory of the site>")
}
