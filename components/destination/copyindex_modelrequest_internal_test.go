package destination

import (
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// serve has the API server work on the request. A deletion is held up by a finalizer, or not.
func (m *model) serve(rule ruleNo, finalizer bool) {
	r := &m.requests[rule]
	r.done = true
	matches := r.on.Exists() == m.object.exists &&
		(!m.object.exists || r.on.UID == types.UID(strconv.Itoa(m.object.uid)) && r.on.ResourceVersion == strconv.Itoa(m.object.version))
	switch {
	case r.deletes && !m.object.exists:
		r.missing = true
	case !matches:
		r.conflict = true
	case r.retains:
		m.set(rule, func(o *modelObject) { *o = modelObject{uid: o.uid, exists: true, terminating: o.terminating} })
	case r.deletes && finalizer:
		m.set(rule, func(o *modelObject) { o.terminating = true })
	case r.deletes:
		m.set(rule, func(o *modelObject) { *o = modelObject{} })
	case !m.object.exists:
		m.create(rule, modelObject{owner: rule, label: rule, hash: r.rendered(rule), fields: rule.fields(), proven: true})
	case m.object.isCopy(rule, r.hash) && m.object.label == rule && m.object.proven: // it changes nothing
	case r.hash == rule.anyContent():
		m.set(rule, func(o *modelObject) { o.label, o.proven = rule, true })
	default:
		m.set(rule, func(o *modelObject) {
			o.owner, o.label, o.hash, o.fields, o.proven = rule, rule, r.hash, rule.fields(), true
		})
	}
	r.state = m.object.state()
}

// rendered is the content that a new copy gets.
func (r modelRequest) rendered(rule ruleNo) string {
	if r.hash == rule.anyContent() {
		return "content"
	}
	return r.hash
}

// answer has the rule learn what came of its request.
func (m *model) answer(rule ruleNo) {
	r := m.requests[rule]
	live := m.object
	ours := live.exists && live.owner == rule && (!r.deletes || live.proven)
	switch {
	case r.conflict && (ours && (r.deletes || !live.terminating) || !r.deletes && !live.exists):
		again := modelRequest{underWay: true, deletes: r.deletes, retains: r.retains, hash: r.hash, quiet: r.quiet, enqueued: r.enqueued}
		if live.exists {
			again.on = live.state()
		}
		m.requests[rule] = again
		return
	case r.deletes && (r.missing || r.conflict && (!live.exists || types.UID(strconv.Itoa(live.uid)) != r.on.UID)):
		m.index.notFound(at, rule.key(), r.on.UID)
	case r.conflict:
		m.index.abort(at, rule.key())
		m.speakUp(rule)
	case r.retains:
		m.index.retained(at, r.on)
	case r.deletes:
		m.index.deleted(at, r.on.UID)
	default:
		m.succeed(rule, r)
	}
	m.requests[rule], m.given[rule] = modelRequest{}, false
}

func (m *model) succeed(rule ruleNo, r modelRequest) {
	if r.on.ResourceVersion != r.state.ResourceVersion {
		m.index.repaired(at, rule.key(), r.hash)
	}
	enqueue := m.index.endWrite(at, rule.key(), r.hash, r.state)
	if _, backingOff := m.index.backingOff(at); !backingOff {
		m.believe(rule, r.hash, r.state == m.object.state())
	}
	m.enqueue(enqueue)
}

// fail has the request fail, whatever the API server has done.
func (m *model) fail(rule ruleNo) {
	r := m.requests[rule]
	m.requests[rule], m.given[rule] = modelRequest{}, false
	m.speakUp(rule)
	m.index.abort(at, rule.key())
	if r.deletes {
		return
	}
	if r.conflict {
		m.index.overtaken(at, rule.key(), r.hash)
	}
	if !r.enqueued && len(m.pending) == 0 && m.object.visible() && m.object.owner == rule {
		m.beliefs[rule] = belief{failed: r.hash}
	}
}
