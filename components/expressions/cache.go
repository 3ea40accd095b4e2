package expressions

import (
	"container/list"
	"errors"
	"strings"
	"sync"
)

// cache holds compiled expressions by their texts, for all rules. If there is no room, whoever holds most of it loses what was not used for the
// longest time: a tenant cannot evict the expressions of others, who hold less. It is safe for concurrent use.
type cache struct {
	limit  int // of the weight of all entries
	mu     sync.Mutex
	weight int
	known  map[string]*compilation
	of     map[string]*holding // by tenant
}

// holding is what one tenant holds. The compilation that was used last is in front.
type holding struct {
	weight int
	texts  *list.List
}

// compilation is what becomes of a text.
type compilation struct {
	text   string
	once   sync.Once // has it compiled by one caller, while others wait
	tenant string    // who used it last
	weight int       // 0 as long as it is compiled
	place  *list.Element

	expression *Expression
	err        error
}

// errNotCompiled is the error of a text whose compilation panicked.
var errNotCompiled = errors.New("the expression could not be compiled")

// size returns what the compilation weighs, about 150 bytes each: the parts of the expression, the text, where its lines begin, and the message of an
// error.
func (c *compilation) size() int {
	const ofAny, charactersEach, linesEach = 10, 128, 32
	size := ofAny + c.expression.weight() + len(c.text)/charactersEach + strings.Count(c.text, "\n")/linesEach
	if c.err != nil {
		size += len(c.err.Error()) / charactersEach
	}
	return size
}

func newCache(limit int) *cache {
	return &cache{limit: limit, known: map[string]*compilation{}, of: map[string]*holding{}}
}

// get returns what became of the text, which it compiles if it is not known. An error that says nothing about the text is not kept.
func (c *cache) get(tenant, text string, compile func(string) (*Expression, error)) (*Expression, error) {
	c.mu.Lock()
	found := c.known[text]
	if found == nil {
		found = &compilation{text: text}
		c.known[text] = found
	}
	c.mu.Unlock()
	found.once.Do(func() {
		found.err = errNotCompiled
		found.expression, found.err = compile(text)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.known[text] != found: // evicted meanwhile
	case found.err != nil && !errors.As(found.err, new(*CompileError)):
		c.drop(found)
	default:
		c.use(tenant, found)
	}
	return found.expression, found.err
}

// use has the tenant hold the compilation, in front of what else it holds.
func (c *cache) use(tenant string, used *compilation) {
	c.release(used)
	used.tenant, used.weight = tenant, used.size()
	held := c.of[tenant]
	if held == nil {
		held = &holding{texts: list.New()}
		c.of[tenant] = held
	}
	used.place = held.texts.PushFront(used)
	held.weight += used.weight
	for c.weight += used.weight; c.weight > c.limit; {
		c.drop(c.largest().texts.Back().Value.(*compilation)) //nolint:forcetypeassert // nothing else is in the list
	}
}

// release takes the compilation from who holds it.
func (c *cache) release(held *compilation) {
	if held.place == nil {
		return
	}
	from := c.of[held.tenant]
	from.texts.Remove(held.place)
	from.weight -= held.weight
	c.weight -= held.weight
	held.place = nil
	if from.texts.Len() == 0 {
		delete(c.of, held.tenant)
	}
}

func (c *cache) drop(dropped *compilation) {
	c.release(dropped)
	delete(c.known, dropped.text)
}

// largest returns who holds most.
func (c *cache) largest() (most *holding) {
	for _, held := range c.of {
		if most == nil || held.weight > most.weight {
			most = held
		}
	}
	return most
}
