package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

func TestWhatBecomesOfACopyThatIsWanted(t *testing.T) {
	on := func(conflict v1.ConflictPolicy) wish {
		return wish{spec: &owner.Spec{Policy: v1.Policy{OnConflict: conflict}}}
	}
	found := func(wished wish, there place) wish {
		wished.found = there
		return wished
	}
	tests := map[string]struct {
		wished wish
		state  State
		action Action
	}{
		"missing":                         {state: Missing, action: Create},
		"in sync":                         {state: InSync, action: Unchanged},
		"only to exist":                   {state: Exists, action: Unchanged},
		"with other content":              {state: OutOfSync, action: Update},
		"being deleted":                   {wished: found(wish{}, place{state: destination.State{Terminating: true}}), state: OutOfSync, action: Create},
		"a foreign object":                {wished: on(""), state: Foreign, action: Refuse},
		"a foreign object, refused":       {wished: on(v1.ConflictRefuse), state: Foreign, action: Refuse},
		"a foreign object, skipped":       {wished: on(v1.ConflictSkip), state: Foreign, action: Skip},
		"a foreign object, adopted":       {wished: on(v1.ConflictAdopt), state: Foreign, action: Adopt},
		"an identical object":             {wished: on(v1.ConflictAdoptIdentical), state: Foreign, action: Adopt},
		"a copy of another rule":          {wished: found(on(v1.ConflictAdopt), place{belongs: "a copy of another rule"}), state: Foreign, action: Refuse},
		"a released copy":                 {wished: found(on(v1.ConflictAdopt), place{isReleased: true}), state: Foreign, action: Refuse},
		"a copy of another rule, skipped": {wished: found(on(v1.ConflictSkip), place{belongs: "a copy of another rule"}), state: Foreign, action: Skip},
		"the source, skipped":             {wished: found(on(v1.ConflictSkip), place{isSource: true}), state: Foreign, action: Refuse},
		"the source, adopted":             {wished: found(on(v1.ConflictAdopt), place{isSource: true}), state: Foreign, action: Refuse},
		"a released copy, skipped":        {wished: found(on(v1.ConflictSkip), place{isReleased: true}), state: Foreign, action: Skip},
		"an object of a tool":             {wished: found(on(v1.ConflictAdopt), place{obstacle: policy.Obstacle{Is: "is managed by Helm"}}), state: Foreign, action: Refuse},
		"a foreign object that is being deleted": {
			wished: found(on(v1.ConflictSkip), place{state: destination.State{Terminating: true}}), state: Foreign, action: Create,
		},
		"blocked":                           {state: Blocked, action: Refuse},
		"what the caller may not read":      {state: Unknown, action: Undecided},
		"a rule that cannot be carried out": {state: Refused, action: Refuse},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			change := changeOf(&test.wished, Verdict{State: test.state, Message: nothingThere + "; why"})
			assert.Equal(t, test.action, change.Action)
			if test.state == Missing {
				assert.Equal(t, "why", change.Message)
			}
		})
	}
}

func TestActionsThatChangeSomething(t *testing.T) {
	var change []Action
	for _, action := range Actions {
		if action.IsChange() {
			change = append(change, action)
		}
	}
	assert.Equal(t, []Action{Create, Update, Adopt, Delete, Release, Undecided}, change)
}
