// Namedoc prints the reference of names as markdown: annotations, labels, finalizers, conditions and reasons from the constants of api/v1,
// flags and metrics from the manager.
//
//	go run ./test/namedoc api/v1
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "namedoc:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: namedoc <directory of the API package>")
	}
	names, err := constantsOf(args[0])
	if err != nil {
		return err
	}
	metrics, err := metricsOf()
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, page(names, metrics))
	return err
}
