package faults_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/faults"
)

// elsewhere is what no rule of these tests matches.
const elsewhere = "/api/v1/namespaces/here/secrets/settings"

func (s *stage) delay(fault faults.Fault, delay time.Duration) {
	s.proxy.Set(faults.Rule{Resources: []string{"configmaps"}, Fault: fault, Delay: delay})
}

// waiting asks for the object, and returns when the fault has struck. The function that it returns waits for the answer,
// and tells what went wrong with it.
func (s *stage) waiting(ctx context.Context, fault faults.Fault) (answer func() error) {
	s.t.Helper()
	answered := make(chan error, 1)
	go func() {
		_, _, _, err := s.ask(ctx, object)
		answered <- err
	}()
	require.Eventually(s.t, func() bool { return s.proxy.Spoiled()[fault] == 1 }, 10*time.Second, time.Millisecond)
	_, _, err := s.get(elsewhere)
	require.NoError(s.t, err, "others do not wait")
	assert.Equal(s.t, "GET "+elsewhere, <-s.asked)
	select {
	case err := <-answered:
		require.Fail(s.t, "the request does not wait", "%v", err)
	default:
	}
	return func() error { return <-answered }
}

func TestSlowRequestArrivesAfterTheDelay(t *testing.T) {
	const delay = 100 * time.Millisecond
	s := newStage(t, 1)
	s.delay(faults.Slow, delay)
	began := time.Now()
	_, body, err := s.get(object)
	require.NoError(t, err)
	assert.JSONEq(t, content, body)
	assert.GreaterOrEqual(t, time.Since(began), delay)
}

func TestSlowRequestArrivesWhenTheFaultsAreOver(t *testing.T) {
	s := newStage(t, 1)
	s.delay(faults.Slow, time.Hour)
	answer := s.waiting(t.Context(), faults.Slow)
	s.proxy.Clear()
	require.NoError(t, answer())
	assert.Equal(t, "GET "+object, <-s.asked)
}

func TestRequestHangsUntilTheFaultsAreOver(t *testing.T) {
	s := newStage(t, 1)
	s.delay(faults.Hang, 0)
	answer := s.waiting(t.Context(), faults.Hang)
	s.proxy.Clear()
	require.Error(t, answer())
	assert.Empty(t, s.asked, "the API server does not hear of it")
}

func TestRequestHangsUntilTheCallerGivesUp(t *testing.T) {
	s := newStage(t, 1)
	s.delay(faults.Hang, 0)
	ctx, giveUp := context.WithCancel(t.Context())
	answer := s.waiting(ctx, faults.Hang)
	giveUp()
	require.ErrorIs(t, answer(), context.Canceled)
	assert.Empty(t, s.asked, "the API server does not hear of it")
}
