package editors

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// checkJSON fails for values on which apimachinery's deep copy panics.
func checkJSON(value interface{}, path []string) error {
	switch typed := value.(type) {
	case nil, string, bool, int64, float64, json.Number:
		return nil
	case map[string]interface{}:
		for key, item := range typed {
			if err := checkJSON(item, append(slices.Clone(path), key)); err != nil {
				return err
			}
		}
		return nil
	case []interface{}:
		for i, item := range typed {
			if err := checkJSON(item, append(slices.Clone(path), strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("field %s cannot hold a %T: use int64, float64, string, bool, []interface{} or map[string]interface{}",
			strings.Join(path, "."), value)
	}
}
