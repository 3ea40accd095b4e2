package destination

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// The model that TestEveryInterleaving explores has an API server that holds one place, a watch that tells of it in order but at any
// time, two rules that want a copy there, and somebody else.

// ruleNo is the number of a rule; nobody is 0.
type ruleNo int

const (
	nobody ruleNo = iota
	ruleA
	ruleB
)

var ruleKeys = [...]types.NamespacedName{ruleA: mine, ruleB: theirs}

// Fields of copies: those that a rule has applied are unlike those of the other rule, and of a copy that was changed.
const changedFields Fields = 99

func (r ruleNo) key() types.NamespacedName { return ruleKeys[r] }

func (r ruleNo) uid() string { return [...]string{"", "u-a", "u-b"}[r] }

func (r ruleNo) anyContent() string { return AnyContent(types.UID(r.uid())) }

func (r ruleNo) other() ruleNo { return ruleA + ruleB - r }

func (r ruleNo) fields() Fields { return Fields(r) }

// modelObject is the object at the place; none if its uid is 0.
type modelObject struct {
	uid, version                int
	owner, label                ruleNo
	hash                        string
	fields                      Fields
	others                      uint32
	proven, terminating, exists bool
}

// visible reports whether the watch, which selects a label, tells of the object.
func (o *modelObject) visible() bool { return o.exists && o.label != nobody }

// state is what an answer or an event says of the object.
func (o *modelObject) state() State {
	state := State{ResourceVersion: strconv.Itoa(o.version)}
	if !o.exists {
		return state
	}
	state.UID, state.Content, state.Terminating = types.UID(strconv.Itoa(o.uid)), o.hash, o.terminating
	state.Labelled, state.Label = o.visible(), digestOf(o.label.uid())
	if o.owner == nobody {
		return state
	}
	state.Owner, state.Fields, state.Others, state.Proven = o.owner.key(), o.fields, o.others, o.proven
	return state
}

// isCopy reports whether the object is the copy that the rule wants.
func (o *modelObject) isCopy(rule ruleNo, hash string) bool {
	same := o.hash == hash && o.fields == rule.fields()
	if hash == rule.anyContent() {
		same = o.label == rule && o.proven
	}
	return o.visible() && !o.terminating && o.owner == rule && same
}
