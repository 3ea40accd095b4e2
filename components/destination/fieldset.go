package destination

import (
	"bytes"
	"slices"

	v1 "projection.sh/operator/api/v1"
)

// placePath and sourcePath are the paths of the annotations that stamp the place and the uid of the source, in a set of fields as
// managedFields has it.
var (
	placePath  = [][]byte{[]byte("f:metadata"), []byte("f:annotations"), []byte("f:" + v1.AnnotationPlace)}
	sourcePath = [][]byte{[]byte("f:metadata"), []byte("f:annotations"), []byte("f:" + v1.AnnotationSourceUID)}
)

// cutStamps returns the parts of the set before and after the annotation that stamps the place, without the one that stamps the uid of
// the source. Copies of earlier versions lack them, and are in sync.
func cutStamps(set []byte) (before, after []byte) {
	if before, after = cut(set, sourcePath); after != nil { // few kinds have it
		set = slices.Concat(before, after)
	}
	return cut(set, placePath)
}

// cut returns the parts of the set before and after the annotation with that path. A set without the annotation is returned whole. A
// field of the same name elsewhere in the set is not cut.
func cut(set []byte, path [][]byte) (before, after []byte) {
	leaf := path[len(path)-1]
	if !bytes.Contains(set, leaf) { // most kinds of objects are large, and a scan is slower
		return set, nil
	}
	start := findPath(set, path)
	if start < 0 {
		return set, nil
	}
	end := start + len(`"":{}`) + len(leaf)
	if end > len(set) || !bytes.HasSuffix(set[:end], []byte(`:{}`)) {
		return set, nil
	}
	switch {
	case end < len(set) && set[end] == ',':
		end++
	case start > 0 && set[start-1] == ',':
		start--
	}
	return set[:start], set[end:]
}

// findPath returns the index of the quotation mark that begins the last key of the path; -1 if the path is not in the set. The
// set is JSON as the API server writes it, without spaces.
func findPath(set []byte, path [][]byte) int {
	depth, found := 0, 0 // found is how many keys of the path enclose the position
	for i := 0; i < len(set); i++ {
		switch set[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth <= found { // the end of the object at the last key that was found
				found = max(depth-1, 0)
			}
		case '"':
			start := i
			for i++; i < len(set) && set[i] != '"'; i++ {
				if set[i] == '\\' {
					i++
				}
			}
			if depth != found+1 || i >= len(set) || !bytes.Equal(set[start+1:i], path[found]) {
				continue
			}
			if found++; found == len(path) {
				return start
			}
		}
	}
	return -1
}
