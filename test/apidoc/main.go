// Apidoc prints the API reference as markdown, from the CustomResourceDefinitions in the directories that it is given.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "apidoc:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: apidoc <directory of CustomResourceDefinitions>")
	}
	definitions, err := read(args[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, page(definitions))
	return err
}

// read returns the definitions, namespaced kinds first.
func read(dir string) ([]apiextensionsv1.CustomResourceDefinition, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there is no *.yaml in %s", dir)
	}
	var namespaced, cluster []apiextensionsv1.CustomResourceDefinition
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(content, &definition); err != nil {
			return nil, fmt.Errorf("%s is no CustomResourceDefinition: %w", path, err)
		}
		if definition.Spec.Scope == apiextensionsv1.NamespaceScoped {
			namespaced = append(namespaced, definition)
		} else {
			cluster = append(cluster, definition)
		}
	}
	return append(namespaced, cluster...), nil
}
