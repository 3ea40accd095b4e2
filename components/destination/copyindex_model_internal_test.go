package destination

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// modelEvent is an event, or a list, that the watch has yet to tell.
type modelEvent struct {
	object modelObject
	list   bool
	// by is the rule whose request has made the change. It is quiet as long as neither that request has failed, nor another one
	// was begun since, nor the rule has changed its mind.
	by    ruleNo
	quiet bool
}

// modelRequest is a write, a deletion or a hand-over that is under way.
type modelRequest struct {
	underWay, deletes bool
	retains           bool   // together with deletes: it makes the copy an ordinary object
	hash              string // of a write
	on                State
	quiet             bool
	// enqueued reports whether the rule was enqueued meanwhile, so that it is reconciled again.
	enqueued bool
	// done reports whether the API server has worked on it; its answer is conflict, missing, or else the state.
	done, conflict, missing bool
	state                   State
}

// model is the world, and the index that learns of it.
type model struct {
	index         *copyIndex
	version, uids int
	object        modelObject
	pending       []modelEvent
	requests      [ruleB + 1]modelRequest
	beliefs       [ruleB + 1]belief
	// given reports whether somebody made the object name the rule, and the rule has not looked since.
	given [ruleB + 1]bool
	// problem is what was wrong in an enqueuing.
	problem string
}

// belief is what a rule was told last of its copy. It ends when the rule is enqueued or does something else.
type belief struct {
	// inSync is the content of which the rule was told that it is in sync, and calm reports whether that is so ever since.
	inSync string
	calm   bool
	// failed is the content that the rule failed to write on its own copy, and changed reports whether somebody else has changed that
	// copy since.
	failed  string
	changed bool
}

func newModel() *model {
	m := &model{index: newCopyIndex(func() time.Time { return time.Unix(1_800_000_000, 0) }), version: 1}
	m.index.replace(nil, "1")
	return m
}

func (m *model) clone() *model {
	c := *m
	c.pending = slices.Clone(m.pending)
	x := *m.index
	x.repairs = &repairs{clock: x.repairs.clock, expiry: x.repairs.expiry, copies: make(map[types.NamespacedName]*repair, 1)}
	for at, of := range m.index.repairs.copies {
		x.repairs.copies[at] = new(*of)
	}
	x.entries = make(map[types.NamespacedName]*entry, 1)
	for at, e := range m.index.entries {
		x.entries[at] = new(*e)
	}
	for _, index := range []*placeIndex{&x.byOwner, &x.foreign, &x.missing} {
		places := make(placeIndex, len(*index))
		for rule, at := range *index {
			places[rule] = maps.Clone(at)
		}
		*index = places
	}
	c.index = &x
	return &c
}

// set changes the object, and has the watch tell of it.
func (m *model) set(by ruleNo, change func(*modelObject)) {
	before, owner := m.object.visible(), m.object.owner
	change(&m.object)
	for _, rule := range []ruleNo{ruleA, ruleB} {
		m.given[rule] = m.object.owner == rule && by == nobody && (m.given[rule] || owner != rule)
		if rule != by {
			m.beliefs[rule].calm, m.beliefs[rule].changed = false, true
		}
	}
	m.version++
	m.object.version = m.version
	if before || m.object.visible() {
		quiet := by != nobody && m.requests[by].quiet
		m.pending = append(m.pending, modelEvent{object: m.object, by: by, quiet: quiet})
	}
}

func (m *model) create(by ruleNo, object modelObject) {
	m.uids++
	m.set(by, func(o *modelObject) {
		*o = object
		o.uid, o.exists = m.uids, true
	})
}

// enqueue says that the rules were enqueued.
func (m *model) enqueue(rules []types.NamespacedName) {
	for _, rule := range []ruleNo{ruleA, ruleB} {
		if !slices.Contains(rules, rule.key()) {
			continue
		}
		if m.beliefs[rule].calm {
			m.problem = "a rule was enqueued whose copy is in sync as it was told"
		}
		m.beliefs[rule], m.given[rule] = belief{}, false
		m.requests[rule].enqueued = m.requests[rule].underWay
	}
}

// believe says that the rule was told that its copy is in sync, and whether that is the latest news.
func (m *model) believe(rule ruleNo, hash string, latest bool) {
	m.beliefs[rule] = belief{inSync: hash, calm: latest && m.object.isCopy(rule, hash)}
}

// speakUp says that the events of the rule's requests may enqueue it from now on.
func (m *model) speakUp(rule ruleNo) {
	m.requests[rule].quiet = false
	for i := range m.pending {
		m.pending[i].quiet = m.pending[i].quiet && m.pending[i].by != rule
	}
}

// deliver has the watch tell what happened next.
func (m *model) deliver() {
	event := m.pending[0]
	m.pending = m.pending[1:]
	seen := observation{at: at, State: State{ResourceVersion: strconv.Itoa(event.object.version)}}
	if event.object.visible() {
		seen.State = event.object.state()
	}
	if event.list {
		var list []observation
		if seen.Exists() {
			list = append(list, seen)
		}
		m.enqueue(m.index.replace(list, strconv.Itoa(event.object.version)))
		return
	}
	rules := m.index.observe(seen)
	if _, backingOff := m.index.repairs.backingOff(at); backingOff { // the rule looks again when the pause is over
		m.given[ruleA], m.given[ruleB] = false, false
	}
	if event.quiet && slices.Contains(rules, event.by.key()) {
		m.problem = "a rule was enqueued because of its own request"
	}
	m.enqueue(rules)
}

// restart has the watch miss what it has yet to tell, and list instead.
func (m *model) restart() {
	object := m.object
	object.version = m.version
	m.pending = []modelEvent{{object: object, list: true}}
	if e, known := m.index.entries[at]; known && e.Exists() { // nobody sees that it was given away and back meanwhile
		m.given[ruleA], m.given[ruleB] = m.given[ruleA] && e.Owner != ruleA.key(), m.given[ruleB] && e.Owner != ruleB.key()
	}
}

func (m *model) begin(rule ruleNo, request modelRequest) {
	request.underWay, request.quiet = true, true
	m.speakUp(rule)
	m.speakUp(rule.other())
	m.requests[rule], m.beliefs[rule] = request, belief{}
}

// look begins a reconcile of the rule, which sees what the watch has told.
func (m *model) look(rule ruleNo) {
	m.beliefs[rule] = belief{}
	m.given[rule] = m.given[rule] && len(m.pending) > 0
}

// want is a reconcile of the rule that plans a copy.
func (m *model) want(rule ruleNo, hash string) {
	m.look(rule)
	if m.index.setDesired(at, rule.key(), hash, rule.fields()) {
		m.speakUp(rule)
		m.believe(rule, hash, len(m.pending) == 0)
		return
	}
	if _, held := m.index.heldRepair(at, rule.key(), hash); held {
		return // the rule is reconciled again when the pause is over
	}
	m.begin(rule, modelRequest{hash: hash})
	m.requests[rule].on = m.index.beginWrite(at, rule.key(), hash)
	e, known := m.index.entries[at]
	m.requests[rule].quiet = known && e.desiredBy == rule.key() && (!e.Exists() || e.Owner == rule.key()) // else it is the other rule's place
}

// unwant is a reconcile of the rule that plans none, and deletes or retains the one that there is.
func (m *model) unwant(rule ruleNo, retains bool) {
	m.look(rule)
	m.speakUp(rule)
	for _, copied := range m.index.unplanned(rule.key(), nil) {
		if !copied.Terminating {
			m.begin(rule, modelRequest{deletes: true, retains: retains, on: copied.State})
			m.index.beginDelete(at, rule.key())
		}
	}
	if _, found := m.index.missing[rule.key()]; found { // the API server was asked, and has none
		m.index.abort(at, rule.key())
	}
}

// keep is a reconcile of the rule that plans none, and keeps the one that there is with whatever content.
func (m *model) keep(rule ruleNo) {
	m.look(rule)
	m.speakUp(rule)
	for range m.index.unplanned(rule.key(), nil) {
		kept := m.index.setDesired(at, rule.key(), rule.anyContent())
		_, backingOff := m.index.repairs.backingOff(at)
		switch {
		case kept:
			m.believe(rule, rule.anyContent(), len(m.pending) == 0)
		case len(m.pending) == 0 && !backingOff && m.object.isCopy(rule, rule.anyContent()):
			m.problem = "a copy is there, and is not known to be kept"
		}
	}
	if _, found := m.index.missing[rule.key()]; found { // the API server was asked, and has none
		m.index.abort(at, rule.key())
	}
}

func (m *model) expectDeletion(rule ruleNo) {
	m.look(rule)
	m.speakUp(rule)
	m.index.beginDelete(at, rule.key())
}

func (m *model) forget(rule ruleNo) {
	m.look(rule)
	m.speakUp(rule)
	m.index.forget(rule.key())
}
