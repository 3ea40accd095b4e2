package cli

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBytesAreShort(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0", 1023: "1023", 1024: "1.0Ki", 1<<20 - 1: "1024Ki", 217088: "212Ki", 5000 * 217088: "1.0Gi", 12 << 40: "12Ti", 1 << 52: "4096Ti",
	} {
		assert.Equal(t, want, bytesOf(bytes))
	}
}

func TestRulesWithUnknownNumbersAreTheLast(t *testing.T) {
	small := ruleLoad{Name: "small", Copies: new(int64(9)), Bytes: new(int64(0))}
	large := ruleLoad{Name: "large", Copies: new(int64(3)), Bytes: new(int64(3000)), Failed: 1}
	hidden := ruleLoad{Name: "hidden"}
	for order, want := range map[string][]string{
		byCopies: {"small", "large", "hidden"}, byBytes: {"large", "small", "hidden"}, byFailed: {"large", "hidden", "small"},
		byName: {"hidden", "large", "small"},
	} {
		rules := []ruleLoad{hidden, small, large}
		slices.SortStableFunc(rules, orders[order])
		var names []string
		for _, rule := range rules {
			names = append(names, rule.Name)
		}
		assert.Equal(t, want, names, order)
	}
}
