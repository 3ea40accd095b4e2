package destination_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/destination"
)

// TestNoRequestThatChangesACopyFollowsASuspension suspends the rule between two requests of one write or deletion.
func TestNoRequestThatChangesACopyFollowsASuspension(t *testing.T) {
	const patch, get, remove = http.MethodPatch, http.MethodGet, http.MethodDelete
	apply := func(w *fixture, _ destination.Copy) destination.Outcome { return w.apply(settings("blue")) }
	deletion := func(w *fixture, copied destination.Copy) destination.Outcome { return w.remove(copied) }
	without := func(w *fixture, _ destination.Copy) destination.Outcome {
		w.rule.Spec.Content.Fields.Exclude = []string{"immutable"}
		w.set.Clean = &destination.CleanFields{}
		return w.apply(settings("blue"))
	}
	touch := func(w *fixture) { w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`) }
	usurp := func(w *fixture) { w.merge(`{"metadata":{"managedFields":[{}]}}`) }
	tests := map[string]struct {
		do func(*fixture, destination.Copy) destination.Outcome
		// before is done by somebody else before the first request with the verb. The rule is suspended before the one of that number.
		verb   string
		number int
		before func(*fixture)
		// all are the requests that there would be without the suspension, and made those that there are.
		all, made []string
	}{
		"before the first request":     {apply, "", 0, nil, []string{patch}, nil},
		"before the first deletion":    {deletion, "", 0, nil, []string{remove}, nil},
		"before a copy is retained":    {(*fixture).retain, "", 0, nil, []string{patch}, nil},
		"before a copy is relabelled":  {(*fixture).relabel, "", 0, nil, []string{patch}, nil},
		"the copy to be retained has":  {(*fixture).retain, patch, 1, touch, []string{patch, get, patch}, []string{patch, get}},
		"the copy has changed":         {apply, patch, 1, touch, []string{patch, get, patch}, []string{patch, get}},
		"the copy to be deleted has":   {deletion, remove, 1, touch, []string{remove, get, remove}, []string{remove, get}},
		"before fields are given up":   {without, get, 1, func(*fixture) {}, []string{get, patch, patch}, []string{get}},
		"after fields are given up":    {without, patch, 1, func(*fixture) {}, []string{get, patch, patch}, []string{get, patch}},
		"before fields are taken over": {apply, patch, 2, usurp, []string{patch, get, get, patch, patch, patch}, []string{patch, get, get, patch}},
		"after fields are taken over":  {apply, patch, 3, usurp, []string{patch, get, get, patch, patch, patch}, []string{patch, get, get, patch, patch}},
		"the copy is replaced": {
			func(w *fixture, _ destination.Copy) destination.Outcome {
				return w.apply(fixed("two", `kind: ConfigMap, data: {color: blue}`))
			}, patch, 1, func(*fixture) {}, []string{patch, get, remove, patch}, []string{patch, get},
		},
		"the copy is replaced, and deleted": {
			func(w *fixture, _ destination.Copy) destination.Outcome {
				return w.apply(fixed("two", `kind: ConfigMap, data: {color: blue}`))
			}, remove, 1, func(*fixture) {}, []string{patch, get, remove, patch}, []string{patch, get, remove},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, suspends := range []bool{false, true} {
				w := newFixture(t, configMaps)
				require.False(t, w.apply(fixed("one", `kind: ConfigMap, immutable: `+map[bool]string{true: "true", false: "false"}[strings.HasPrefix(name, "the copy is replaced")]+
					`, data: {color: red}`)).Failed())
				copied := w.known(1)[0]
				w.tap.take()
				suspended := suspends && test.verb == ""
				w.set.Suspended = func() bool { return suspended }
				if test.verb != "" {
					number := 0
					w.tap.always(test.verb, func() {
						if number++; number == 1 {
							test.before(w)
						}
						suspended = suspended || suspends && number == test.number
					})
				}
				outcome := test.do(w, copied)
				if !suspends {
					assert.Equal(t, test.all, w.tap.take())
					assert.Empty(t, outcome.Message)
					continue
				}
				assert.Equal(t, test.made, w.tap.take())
				assert.True(t, outcome.Pending)
				assert.False(t, outcome.Failed(), outcome.Message)
				assert.NoError(t, outcome.Err)
			}
		})
	}
}

// TestCopyWithoutItsLabelIsMissedUntilItEnds suspends the rule between two requests for a copy that the watch does not show.
func TestCopyWithoutItsLabelIsMissedUntilItEnds(t *testing.T) {
	tests := map[string]struct {
		// The copy changes before the first request with the verb, and the rule is suspended; without a verb, it is suspended before that.
		verb string
		do   func(*fixture, destination.Copy) destination.Outcome
		ends destination.Action
	}{
		"it is deleted":    {http.MethodDelete, (*fixture).remove, destination.Deleted},
		"it is retained":   {http.MethodPatch, (*fixture).retain, destination.Retained},
		"it is relabelled": {"", (*fixture).relabel, destination.Updated},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, _ := newCopy(t)
			w.merge(`{"metadata":{"labels":null}}`)
			missing := func() bool { return len(w.set.Cache.Missing(w.set.Owner.Key())) == 1 }
			require.Eventually(t, missing, soon, tick)
			found := func() destination.Copy {
				copied, found, err := w.writer.GetOwned(t.Context(), w.set, w.at())
				require.NoError(t, err)
				require.True(t, found)
				return copied
			}
			copied, suspended := found(), test.verb == ""
			w.set.Suspended = func() bool { return suspended }
			w.tap.once(test.verb, func() {
				w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`)
				suspended = true
			})
			assert.True(t, test.do(w, copied).Pending)
			assert.True(t, missing())

			suspended = false
			assert.Equal(t, test.ends, test.do(w, found()).Action)
			assert.False(t, missing())
		})
	}
}

func (w *fixture) relabel(copied destination.Copy) destination.Outcome {
	w.t.Helper()
	return w.writer.Relabel(w.t.Context(), w.set, copied)
}
