package destination

import (
	"bytes"
	"slices"

	v1 "projection.sh/operator/api/v1"
)

// stampPaths are the paths of the annotations that stamp the place, the source and its uid, in a set of fields as managedFields has it.
var stampPaths = [...][][]byte{stampPath(v1.AnnotationPlace), stampPath(v1.AnnotationSource), stampPath(v1.AnnotationSourceUID)}

func stampPath(annotation string) [][]byte {
	return [][]byte{[]byte("f:metadata"), []byte("f:annotations"), []byte("f:" + annotation)}
}

// withoutStamps returns the set without these annotations, and leaves the set as it is. Copies of earlier versions lack the stamps, and
// are in sync.
func withoutStamps(set []byte) []byte {
	cloned := false
	for _, path := range stampPaths {
		start, end, found := locate(set, path)
		if !found {
			continue
		}
		if !cloned {
			set, cloned = slices.Clone(set), true
		}
		set = slices.Delete(set, start, end)
	}
	return set
}

// locate returns where in the set the annotation with that path is, with one of the commas around it. A field of the same name elsewhere
// in the set is not found.
func locate(set []byte, path [][]byte) (start, end int, found bool) {
	leaf := path[len(path)-1]
	if !bytes.Contains(set, leaf) { // most kinds of objects are large, and a scan is slower
		return 0, 0, false
	}
	if start = findPath(set, path); start < 0 {
		return 0, 0, false
	}
	end = start + len(`"":{}`) + len(leaf)
	if end > len(set) || !bytes.HasSuffix(set[:end], []byte(`:{}`)) {
		return 0, 0, false
	}
	switch {
	case end < len(set) && set[end] == ',':
		end++
	case start > 0 && set[start-1] == ',':
		start--
	}
	return start, end, true
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
