package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"projection.sh/operator/test/docs/markdown"
)

// patterns are the pages of the site. What they link to comes with them: pictures, manifests, source code.
var patterns = []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md", "deploy/*/*.md", "deploy/charts/*/*.md"}

// readme is the page that a site shows of a directory.
const readme = "README.md"

// collect copies the files of the site from the tree at top into the directory.
func collect(top, dir string) error {
	files, err := filesOf(top)
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := contentOf(top, file)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// contentOf returns the file. A README that a linked directory lacks is the list of its files: a server of static pages shows no directory.
func contentOf(top, file string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(top, file))
	if !errors.Is(err, fs.ErrNotExist) || filepath.Base(file) != readme {
		return content, err
	}
	list := fmt.Appendf(nil, "# %s\n\n", filepath.ToSlash(filepath.Dir(file)))
	names, err := filesIn(filepath.Join(top, filepath.Dir(file)))
	for _, name := range names {
		list = fmt.Appendf(list, "- [%s](%s)\n", name, name)
	}
	return list, err
}

// filesIn returns the names of the files in the directory, in order.
func filesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// filesOf returns the pages, the files that they link to, and so on, in order.
func filesOf(top string) ([]string, error) {
	found := map[string]bool{}
	var left []string
	add := func(file string) {
		if !found[file] {
			found[file] = true
			left = append(left, file)
		}
	}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			file, err := filepath.Rel(top, path)
			if err != nil {
				return nil, err
			}
			add(file)
		}
	}
	for ; len(left) > 0; left = left[1:] {
		if filepath.Ext(left[0]) != ".md" {
			continue
		}
		linked, err := linksOf(top, left[0])
		if err != nil {
			return nil, err
		}
		for _, file := range linked {
			add(file)
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// linksOf returns the files of the tree that a page links to.
func linksOf(top, name string) ([]string, error) {
	page, err := markdown.Read(filepath.Join(top, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a README that contentOf writes: what links to a missing file is an error below
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, link := range page.Links {
		target, err := url.Parse(link.Target)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, link.Line, err)
		}
		if target.Scheme != "" || target.Path == "" {
			continue
		}
		file := filepath.Join(filepath.Dir(name), target.Path)
		about, err := os.Stat(filepath.Join(top, file))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, link.Line, err)
		}
		if !about.IsDir() {
			files = append(files, file)
			continue
		}
		names, err := filesIn(filepath.Join(top, file))
		if err != nil {
			return nil, err
		}
		for _, each := range append(names, readme) {
			files = append(files, filepath.Join(file, each))
		}
	}
	return files, nil
}
