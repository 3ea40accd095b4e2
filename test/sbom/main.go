// Command sbom writes what a Go program is made of, as the program itself records it, as CycloneDX in JSON:
//
//	sbom bin/manager v0.1.0 > dist/sbom.cdx.json
//
// The same program gives the same bytes.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "sbom: name a program and its version")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// document is a bill of materials.
type document struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Package    string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func write(out io.Writer, program, version string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read what %s is made of: %w", program, err)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(billOf(info, version))
}

func billOf(info *debug.BuildInfo, version string) document {
	bill := document{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata:   metadata{part("application", info.Main.Path, version, "")},
		Components: []component{part("library", "std", strings.TrimPrefix(info.GoVersion, "go"), "")},
	}
	for _, module := range info.Deps {
		bill.Components = append(bill.Components, library(module))
	}
	return bill
}

// library describes a module, or what stands in for it.
func library(module *debug.Module) component {
	if module.Replace != nil {
		module = module.Replace
	}
	return part("library", module.Path, module.Version, module.Sum)
}

func part(kind, path, version, sum string) component {
	address := "pkg:golang/" + path + "@" + version
	made := component{Type: kind, Ref: address, Name: path, Version: version, Package: address}
	if sum != "" {
		made.Properties = []property{{"go:sum", sum}}
	}
	return made
}
