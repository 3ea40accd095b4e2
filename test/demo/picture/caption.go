package main

import (
	"errors"
	"regexp"
)

// caption is where the README names the commit of the picture.
var caption = regexp.MustCompile(`(<!-- picture: commit -->)[^<]*(<!-- /picture -->)`)

func withCaption(readme []byte, commit string) ([]byte, error) {
	if !caption.Match(readme) {
		return nil, errors.New("the README has no comment <!-- picture: commit -->")
	}
	return caption.ReplaceAll(readme, []byte("${1}"+commit+"${2}")), nil
}
