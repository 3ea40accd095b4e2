package destination

import "slices"

// step is something that may happen next in the model.
type step struct {
	name string
	may  func(*model) bool
	do   func(*model)
}

// steps are all that may happen.
func steps() []step {
	all := slices.Concat(somebodySteps(), watchSteps(), ruleSteps("a", ruleA), ruleSteps("b", ruleB))
	return append(all,
		step{"a wants other content", idle(ruleA), func(m *model) { m.want(ruleA, "other") }},
		step{"a expects a deletion", idle(ruleA), func(m *model) { m.expectDeletion(ruleA) }},
		step{"a retains what it has", idle(ruleA), func(m *model) { m.unwant(ruleA, true) }},
		step{"a wants it to exist", idle(ruleA), func(m *model) { m.want(ruleA, ruleA.anyContent()) }},
		step{"a keeps what it has", idle(ruleA), func(m *model) { m.keep(ruleA) }},
	)
}

func exists(m *model) bool { return m.object.exists }

func idle(rule ruleNo) func(*model) bool {
	return func(m *model) bool { return !m.requests[rule].underWay }
}

// somebodySteps are what somebody else may do.
func somebodySteps() []step {
	change := func(name string, may func(*modelObject) bool, do func(*modelObject)) step {
		return step{
			"somebody " + name,
			func(m *model) bool { return m.object.exists && may(&m.object) },
			func(m *model) { m.set(nobody, do) },
		}
	}
	return []step{
		{"somebody creates an object", not(exists), func(m *model) { m.create(nobody, modelObject{}) }},
		{"somebody creates an object that names a", not(exists), func(m *model) {
			m.create(nobody, modelObject{owner: ruleA, label: ruleA, hash: "content"})
		}},
		change("changes a field",
			func(o *modelObject) bool { return o.owner != nobody && o.fields == o.owner.fields() },
			func(o *modelObject) { o.fields, o.others = changedFields, o.others+1 }),
		change("changes it back",
			func(o *modelObject) bool { return o.fields == changedFields },
			func(o *modelObject) { o.fields, o.others = o.owner.fields(), o.others+1 }),
		change("gives it to the other rule",
			func(o *modelObject) bool { return o.owner != nobody },
			func(o *modelObject) { o.owner, o.fields, o.others = o.owner.other(), 0, o.others+1 }),
		change("takes the annotation off",
			func(o *modelObject) bool { return o.owner != nobody },
			func(o *modelObject) { o.owner, o.fields, o.others, o.proven = nobody, 0, 0, false }),
		change("takes the label off", (*modelObject).isLabelled, func(o *modelObject) { o.label = nobody }),
		change("deletes it", func(*modelObject) bool { return true }, func(o *modelObject) { *o = modelObject{} }),
		change("deletes it, but for a finalizer",
			func(o *modelObject) bool { return !o.terminating },
			func(o *modelObject) { o.terminating = true }),
	}
}

func (o *modelObject) isLabelled() bool { return o.label != nobody }

func watchSteps() []step {
	return []step{
		{"the watch tells", func(m *model) bool { return len(m.pending) > 0 }, (*model).deliver},
		{"the watch starts over", func(m *model) bool { return len(m.pending) > 0 && !m.pending[0].list }, (*model).restart},
	}
}

// ruleSteps are what a rule may do, and what the API server may do for it.
func ruleSteps(name string, rule ruleNo) []step {
	request := func(holds func(modelRequest) bool) func(*model) bool {
		return func(m *model) bool { return m.requests[rule].underWay && holds(m.requests[rule]) }
	}
	return []step{
		{name + " wants content", idle(rule), func(m *model) { m.want(rule, "content") }},
		{name + " wants nothing", idle(rule), func(m *model) { m.unwant(rule, false) }},
		{name + " ends", idle(rule), func(m *model) { m.forget(rule) }},
		{
			"the API server serves " + name, request(func(r modelRequest) bool { return !r.done }),
			func(m *model) { m.serve(rule, false) },
		},
		{
			"the API server marks for " + name, request(func(r modelRequest) bool { return !r.done && r.deletes && !r.retains }),
			func(m *model) { m.serve(rule, true) },
		},
		{name + " has its answer", request(func(r modelRequest) bool { return r.done }), func(m *model) { m.answer(rule) }},
		{name + " fails", request(func(modelRequest) bool { return true }), func(m *model) { m.fail(rule) }},
	}
}

func not(holds func(*model) bool) func(*model) bool { return func(m *model) bool { return !holds(m) } }
