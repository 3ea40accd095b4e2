package component_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/component"
)

// longest is how long the message of a condition may be, in characters.
const longest = 32768

func TestLongMessagesAreCut(t *testing.T) {
	for name, test := range map[string]struct{ message, want string }{
		"as long as may be": {strings.Repeat("x", longest), strings.Repeat("x", longest)},
		"one more":          {strings.Repeat("x", longest+1), strings.Repeat("x", longest-28) + "... (truncated, 32769 bytes)"},
		"characters count":  {strings.Repeat("日", longest), strings.Repeat("日", longest)},
		"cut between them":  {strings.Repeat("日", longest+1), strings.Repeat("日", longest-28) + "... (truncated, 98307 bytes)"},
		"no text":           {strings.Repeat("\xff", longest+1), strings.Repeat("\uFFFD", longest-28) + "... (truncated, 32769 bytes)"},
	} {
		t.Run(name, func(t *testing.T) {
			owner := &App{}
			part := buildPart(t, nil)
			part.Stage(owner, component.Convergence{}, errors.New(test.message))
			staged := part.GetCondition(owner).Message
			assert.LessOrEqual(t, utf8.RuneCountInString(staged), longest)
			assert.Equal(t, test.want, staged)
		})
	}
}

func TestLongMessageOfAnAggregateIsCut(t *testing.T) {
	owner := &App{Status: AppStatus{Conditions: []metav1.Condition{
		{Type: string(ready), Status: metav1.ConditionFalse, Reason: "Error", Message: strings.Repeat("x", longest)},
	}}}
	sum := component.Aggregate("All", owner, buildPart(t, nil))
	assert.Equal(t, longest, utf8.RuneCountInString(sum.Message))
	assert.True(t, strings.HasPrefix(sum.Message, "part: xxx"))
	assert.True(t, strings.HasSuffix(sum.Message, "xxx... (truncated, 32774 bytes)"), "of the message with the name")
}

// TestLongestMessageCanBeWritten shows that the bound is that of the API server.
func TestLongestMessageCanBeWritten(t *testing.T) {
	w := newWorld(t)
	w.build(nil).Stage(w.owner, component.Convergence{}, errors.New(strings.Repeat("日", 2*longest)))
	require.NoError(t, component.FlushStatus(t.Context(), w.context(), nil))
	assert.Equal(t, longest, utf8.RuneCountInString(w.messages()[string(ready)]))

	w.owner.Status.Conditions[0].Message += "."
	require.ErrorContains(t, component.FlushStatus(t.Context(), w.context(), nil), "may not be more than 32768")
}
