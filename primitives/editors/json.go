package editors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// checkJSON fails for values on which apimachinery's deep copy panics.
func checkJSON(value any, path []string) error {
	switch typed := value.(type) {
	case nil, string, bool, int64, float64, json.Number:
		return nil
	case map[string]any:
		for key, item := range typed {
			if err := checkJSON(item, append(slices.Clone(path), key)); err != nil {
				return err
			}
		}
		return nil
	case []any:
		for i, item := range typed {
			if err := checkJSON(item, append(slices.Clone(path), strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("field %s cannot hold a %T: use int64, float64, string, bool, []any or map[string]any",
			strings.Join(path, "."), value)
	}
}
