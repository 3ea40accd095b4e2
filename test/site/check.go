package main

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	reference = regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`\sid="([^"]*)"`)
)

// check looks up every link of the site to itself: the file, and the anchor in it. mkdocs, in the version of Debian, looks up no anchors.
func check(dir string) error {
	links, anchors := map[string][]string{}, map[string]map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".html" || entry.Name() == "404.html" { // which has the address of the page that is missing
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		anchors[path] = map[string]bool{}
		for _, found := range anchor.FindAllStringSubmatch(string(content), -1) {
			anchors[path][html.UnescapeString(found[1])] = true
		}
		for _, found := range reference.FindAllStringSubmatch(string(content), -1) {
			links[path] = append(links[path], html.UnescapeString(found[1]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(links) == 0 {
		return fmt.Errorf("%s has no pages", dir)
	}
	var wrong []error
	for page, targets := range links {
		for _, target := range targets {
			if problem := lookUp(page, target, anchors); problem != "" {
				wrong = append(wrong, fmt.Errorf("%s links to %s: %s", page, target, problem))
			}
		}
	}
	return errors.Join(wrong...)
}

// lookUp returns what is wrong with a link of the page, or "".
func lookUp(page, target string, anchors map[string]map[string]bool) string {
	to, err := url.Parse(target)
	if err != nil {
		return err.Error()
	}
	if to.Scheme != "" || to.Host != "" {
		return ""
	}
	file := page
	if to.Path != "" {
		file = filepath.Join(filepath.Dir(page), to.Path)
	}
	if about, err := os.Stat(file); err == nil && about.IsDir() {
		file = filepath.Join(file, "index.html")
	}
	if _, err := os.Stat(file); err != nil {
		return "there is no such file"
	}
	known, isPage := anchors[file]
	if to.Fragment == "" || strings.HasPrefix(to.Fragment, "__") || isPage && known[to.Fragment] { // __ begins anchors of the theme's scripts
		return ""
	}
	return "there is no such anchor"
}
