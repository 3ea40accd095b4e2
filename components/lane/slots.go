package lane

import (
	"container/list"
	"context"
	"time"

	"projection.sh/operator/components/watch"
)

// enter takes a slot of the lane for a request of the rule, and reports whether it got one in time. If not, the rule is
// enqueued when a slot is free, unless the context has ended.
func (l *Lanes[R]) enter(ctx context.Context, of watch.RuleKey, name string) bool {
	l.mu.Lock()
	lane, rule := l.lane(name), l.rule(of)
	if _, kept := rule.reserved[name]; kept {
		delete(rule.reserved, name)
		l.mu.Unlock()
		return true
	}
	if lane.free > 0 {
		lane.free--
		l.mu.Unlock()
		return true
	}
	wait := l.limits.Wait
	if lane.slow {
		wait = 0
	}
	waiting := &waiter{rule: of, granted: make(chan struct{})}
	at := lane.waiting.PushBack(waiting)
	l.mu.Unlock()

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-waiting.granted:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return l.giveUp(ctx, lane, waiting, at)
}

// giveUp ends the waiting of a request, and reports whether the request was granted a slot meanwhile.
func (l *Lanes[R]) giveUp(ctx context.Context, lane *lane, waiting *waiter, at *list.Element) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-waiting.granted:
		return true
	default:
	}
	if ctx.Err() != nil || has(lane.enqueues, waiting.rule) {
		lane.waiting.Remove(at)
		return false
	}
	waiting.granted = nil
	lane.enqueues[waiting.rule] = struct{}{}
	return false
}

// release gives a slot of the lane to the first waiter, and returns the rule that is to be enqueued for it, if any.
func (l *Lanes[R]) release(name string) []watch.RuleKey {
	lane := l.lane(name)
	for lane.waiting.Len() > 0 {
		first := lane.waiting.Remove(lane.waiting.Front()).(*waiter) //nolint:forcetypeassert // that is all there is in it
		if first.granted != nil {
			close(first.granted)
			return nil
		}
		delete(lane.enqueues, first.rule)
		if rule := l.rule(first.rule); !has(rule.reserved, name) {
			rule.reserved[name] = struct{}{}
			return []watch.RuleKey{first.rule}
		}
	}
	lane.free++
	l.retire(name, lane)
	return nil
}

// leave gives a slot of the lane back, and enqueues the rule that waits for it, if any.
func (l *Lanes[R]) leave(name string) {
	l.mu.Lock()
	enqueued := l.release(name)
	l.mu.Unlock()
	l.enqueueAll(enqueued)
}

func (l *Lanes[R]) markSlow(name string, slow bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lane, used := l.lanes[name]; used {
		lane.slow = slow
	}
}

// retire forgets a lane that nobody uses: at once, or after Limits.Remember if it is slow.
func (l *Lanes[R]) retire(name string, idle *lane) {
	if idle.free < l.limits.PerLane {
		return
	}
	if !idle.slow {
		delete(l.lanes, name)
		return
	}
	idle.idle = time.Now()
	time.AfterFunc(l.limits.Remember, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		unused := idle.free == l.limits.PerLane && time.Since(idle.idle) >= l.limits.Remember
		if l.lanes[name] == idle && unused {
			delete(l.lanes, name)
		}
	})
}
