package destination

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FieldSets are the different Fields of copies of one rule that are in sync, sorted. Copies with equal content can have different
// ones.
// Example: the schema of a custom resource changes. The API server records the fields of the copies that are made from then on by
// the new schema, and those of the earlier copies stay as they were recorded.
type FieldSets []Fields

// hashLength is the length of one of the sets in the status.
const hashLength = 16

// With returns the sets and that one, unless it is unknown.
func (s FieldSets) With(set Fields) FieldSets {
	if at, found := slices.BinarySearch(s, set); set != 0 && !found {
		return slices.Insert(s, at, set)
	}
	return s
}

// Format returns the form that ParseFieldSets reads, of at most that many characters. Sets that do not fit are left out: after
// a restart, copies with those are written once, which changes nothing.
func (s FieldSets) Format(maxLength int) string {
	fitting := s[:min(len(s), (maxLength+1)/(hashLength+1))]
	texts := make([]string, len(fitting))
	for i, set := range fitting {
		texts[i] = fmt.Sprintf("%0*x", hashLength, uint64(set))
	}
	return strings.Join(texts, ",")
}

// ParseFieldSets reads what Format wrote. Whatever it cannot read is left out.
func ParseFieldSets(text string) FieldSets {
	var sets FieldSets
	for hash := range strings.SplitSeq(text, ",") {
		if value, err := strconv.ParseUint(hash, 16, 64); err == nil {
			sets = sets.With(Fields(value))
		}
	}
	return sets
}

// expected returns the set that a copy with these fields is compared with: its own if it is among the sets, else another one;
// unknown if there is none.
func (s FieldSets) expected(of Fields) Fields {
	switch {
	case slices.Contains(s, of):
		return of
	case len(s) == 0:
		return 0
	default:
		return s[0]
	}
}
