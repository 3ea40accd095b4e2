package expressions

import (
	"math/bits"
	"regexp/syntax"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// weightOfStep is the weight that costs one unit, as in CEL: a step, or ten characters.
const weightOfStep = 10

// price returns what a call with these arguments costs at most, besides the unit that each call costs. Above the limit, it may be any number above the limit.
type price func(args []ref.Val, limit uint64) uint64

// prices are those of functions that can do far more than CEL counts, or more than CEL counts in time.
var prices = map[string]price{
	operators.Add:       priceOfAdd,
	operators.Equals:    priceOfEquality,
	operators.NotEquals: priceOfEquality,
	operators.In:        priceOfIn,
	orderFunction:       priceOfOrder,
	"contains":          priceOfContains,
	"replace":           priceOfReplace,
	"split":             priceOfSplit,
	"join":              priceOfJoin,
	"matches":           priceOfMatch,
}

// priceOf returns the price of calls of the function.
func priceOf(function string) price {
	if of, found := prices[function]; found {
		return of
	}
	return priceOfTexts
}

// weightOf returns the weight of a value with all that it holds: ten for each value, and one for each byte of a text. It stops to count
// when it is above that of the limit, which is in units of cost.
func weightOf(value ref.Val, limit uint64) uint64 {
	most := saturated(limit, weightOfStep)
	return weigh(value, most, func(text int) uint64 { return weightOfStep + uint64(text) }) //nolint:gosec // no length is negative
}

// weigh adds up what the function returns of each value, which gets the length of a text and else zero.
func weigh(value ref.Val, most uint64, of func(text int) uint64) (sum uint64) {
	switch value := value.(type) {
	case types.String:
		return of(len(value))
	case types.Bytes:
		return of(len(value))
	case *types.Optional:
		if value.HasValue() {
			return weigh(value.GetValue(), most, of)
		}
	case traits.Mapper:
		if least := saturated(2*of(0), sizeOf(value)); least > most { //nolint:mnd // a key and a value; the iterator copies all keys
			return added(most, 1)
		}
		sum = of(0)
		for entries := value.Iterator(); sum <= most && entries.HasNext() == types.True; {
			key := entries.Next()
			inner, _ := value.Find(key)
			sum += weigh(key, most-sum, of)
			if sum <= most && inner != nil {
				sum += weigh(inner, most-sum, of)
			}
		}
		return sum
	case traits.Lister:
		sum = of(0)
		for elements := value.Iterator(); sum <= most && elements.HasNext() == types.True; {
			sum += weigh(elements.Next(), most-sum, of)
		}
		return sum
	}
	return of(0)
}

// priceOfTexts is that of going through the texts among the arguments.
func priceOfTexts(args []ref.Val, _ uint64) (cost uint64) {
	for _, arg := range args {
		cost += lengthOf(arg)
	}
	return steps(cost)
}

// steps returns how many units work on so many characters costs.
func steps(characters uint64) uint64 { return added(characters, weightOfStep-1) / weightOfStep }

func lengthOf(value ref.Val) uint64 {
	switch value := value.(type) {
	case types.String:
		return uint64(len(value))
	case types.Bytes:
		return uint64(len(value))
	default:
		return 0
	}
}

// priceOfContains is that of looking for a text at each place of another.
func priceOfContains(args []ref.Val, _ uint64) uint64 {
	return saturated(steps(lengthOf(args[0])), steps(lengthOf(args[1])))
}

// priceOfAdd is that of what comes out: without it, a value could double with each addition at no cost. A loop adds to its list in place.
func priceOfAdd(args []ref.Val, limit uint64) uint64 {
	first, isList := args[0].(traits.Lister)
	if !isList {
		return priceOfTexts(args, limit)
	}
	weight := weightOf(args[1], limit)
	if _, inPlace := first.(traits.MutableLister); !inPlace {
		weight = added(weight, weightOf(first, limit))
	}
	return weight / weightOfStep
}

// priceOfEquality is that of the smaller value: a comparison ends where one of them does. To find it takes about as much time as to compare.
func priceOfEquality(args []ref.Val, limit uint64) uint64 {
	for upTo := uint64(1); ; upTo = saturated(upTo, 2) { //nolint:mnd // doubled
		smaller := min(weightOf(args[0], upTo), weightOf(args[1], upTo))
		if smaller <= saturated(upTo, weightOfStep) || upTo > limit {
			return smaller / weightOfStep
		}
	}
}

func priceOfIn(args []ref.Val, limit uint64) uint64 {
	if _, isMap := args[1].(traits.Mapper); isMap {
		return added(1, steps(lengthOf(args[0])))
	}
	return weightOf(args[1], limit) / weightOfStep
}

// priceOfOrder is that of sorting the keys of a map.
func priceOfOrder(args []ref.Val, _ uint64) uint64 {
	entries, isMap := args[0].(traits.Mapper)
	if !isMap {
		return 0
	}
	keys, characters := uint64(0), uint64(0)
	for all := entries.Iterator(); all.HasNext() == types.True; keys++ {
		characters += lengthOf(all.Next())
	}
	const comparisonsEach = 4                                                                    // in a unit
	return saturated(added(keys, steps(characters)), uint64(bits.Len64(keys)/comparisonsEach+1)) //nolint:gosec // no length is negative
}

func sizeOf(collection traits.Sizer) uint64 {
	size, _ := collection.Size().(types.Int)
	return uint64(max(size, 0))
}

// priceOfReplace is that of what is read and of what comes out.
func priceOfReplace(args []ref.Val, _ uint64) uint64 {
	texts := [3]string{}
	for i := range texts {
		text, _ := args[i].(types.String)
		texts[i] = string(text)
	}
	count := uint64(strings.Count(texts[0], texts[1])) //nolint:gosec // it is not negative
	if len(args) > len(texts) {
		if most, ok := args[len(texts)].(types.Int); ok && most >= 0 {
			count = min(count, uint64(most))
		}
	}
	length := uint64(len(texts[0]))
	return steps(added(2*length, saturated(count, uint64(len(texts[2]))))) //nolint:mnd // read and written
}

// priceOfJoin is that of what is read and of what comes out.
func priceOfJoin(args []ref.Val, limit uint64) uint64 {
	list, ok := args[0].(traits.Lister)
	if !ok {
		return 1
	}
	text := weightOf(list, limit)
	if len(args) > 1 {
		text = added(text, saturated(sizeOf(list), lengthOf(args[1])))
	}
	return saturated(2, steps(text)) //nolint:mnd // read and written
}

// priceOfSplit is that of what is read and of the list that comes out.
func priceOfSplit(args []ref.Val, _ uint64) uint64 {
	text, _ := args[0].(types.String)
	separator, _ := args[1].(types.String)
	parts := uint64(strings.Count(string(text), string(separator)) + 1) //nolint:gosec // it is positive
	return added(parts, steps(2*lengthOf(args[0])))                     //nolint:mnd // read and written
}

// priceOfMatch is that of the API server, but repetitions such as (a{100}){10} count as often as they repeat.
func priceOfMatch(args []ref.Val, _ uint64) uint64 {
	pattern, _ := args[1].(types.String)
	size := uint64(len(pattern))
	if parsed, err := syntax.Parse(string(pattern), syntax.Perl); err == nil {
		size = max(size, stepsOf(parsed))
	}
	const charactersPerExpression = 4
	return saturated(steps(lengthOf(args[0])+1), size/charactersPerExpression+1)
}

// saturated returns the product, or the largest number if it is larger.
func saturated(a, b uint64) uint64 {
	if high, low := bits.Mul64(a, b); high == 0 {
		return low
	}
	return ^uint64(0)
}

// added returns the sum, or the largest number if it is larger.
func added(a, b uint64) uint64 {
	if sum, carry := bits.Add64(a, b, 0); carry == 0 {
		return sum
	}
	return ^uint64(0)
}
