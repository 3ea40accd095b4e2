package watch

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// TestWatchGoesOnWhereItWasAfterAShortInterruptionOnly covers a control plane that was restored from a backup meanwhile.
func TestWatchGoesOnWhereItWasAfterAShortInterruptionOnly(t *testing.T) {
	tests := map[string]struct {
		pause   time.Duration
		listed  bool
		initial *bool
		goesOn  bool
	}{
		"at once":                          {pause: maxGap, goesOn: true},
		"too late":                         {pause: maxGap + time.Millisecond},
		"too late, after a list":           {pause: time.Hour, listed: true, goesOn: true},
		"too late, with all that there is": {pause: time.Hour, initial: new(true), goesOn: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := 0
				w := &watchdog{interrupted: func() { ended++ }}
				var inner *watch.RaceFreeFakeWatcher
				open := func(options metav1.ListOptions) (watch.Interface, error) {
					return w.open(t.Context(), options, func(context.Context, metav1.ListOptions) (watch.Interface, error) {
						inner = watch.NewRaceFreeFake()
						return inner, nil
					})
				}
				first, err := open(metav1.ListOptions{ResourceVersion: "1005"})
				require.NoError(t, err)
				assert.Zero(t, ended)
				inner.Stop()
				_, isOpen := <-first.ResultChan()
				assert.False(t, isOpen)
				synctest.Wait()
				assert.Equal(t, 1, ended)

				<-time.After(test.pause)
				if test.listed {
					w.listed()
				}
				second, err := open(metav1.ListOptions{ResourceVersion: "1005", SendInitialEvents: test.initial})
				if test.goesOn {
					require.NoError(t, err)
					second.Stop()
					return
				}
				assert.True(t, apierrors.IsResourceExpired(err), "the reflector lists again: %v", err)
				assert.True(t, inner.IsStopped())
			})
		})
	}
}

// TestWatchThatDoesNotOpenAfterItsListStartsOver covers a control plane that is restored between a list and its watch.
func TestWatchThatDoesNotOpenAfterItsListStartsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watchdog{}
		refusal := error(syscall.ECONNREFUSED)
		open := func() error {
			_, err := w.open(t.Context(), metav1.ListOptions{ResourceVersion: "1005"}, func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return watch.NewRaceFreeFake(), refusal
			})
			return err
		}
		w.listed()
		require.ErrorIs(t, open(), syscall.ECONNREFUSED)
		<-time.After(maxGap)
		require.ErrorIs(t, open(), syscall.ECONNREFUSED)
		<-time.After(time.Millisecond)
		refusal = nil
		assert.True(t, apierrors.IsResourceExpired(open()), "the reflector lists again")
	})
}

func TestWhatTheAPIServerDoesNotAnswer(t *testing.T) {
	tests := map[string]struct {
		err         error
		unreachable bool
	}{
		"nobody listens":     {syscall.ECONNREFUSED, true},
		"no end of the text": {errors.New("unexpected EOF"), true},
		"503":                {apierrors.NewServiceUnavailable("no"), true},
		"500":                {apierrors.NewInternalError(errors.New("no")), true},
		"403":                {&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusForbidden}}, false},
		"410":                {errGap, false},
		"429":                {apierrors.NewTooManyRequestsError("no"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.unreachable, isUnreachable(test.err)) })
	}
}
