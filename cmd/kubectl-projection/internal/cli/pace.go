package cli

import (
	"math"
	"time"
)

// paceWindow is how far back the pace looks.
const paceWindow = 15 * time.Second

// pace measures how fast a number grows.
type pace struct{ seen []sample }

// sample is a number at a time.
type sample struct {
	at     time.Time
	number int
}

// add notes the number. If it has become less, something else is counted from now on.
func (p *pace) add(now time.Time, number int) {
	if last := len(p.seen) - 1; last >= 0 && number < p.seen[last].number {
		p.seen = nil
	}
	p.seen = append(p.seen, sample{now, number})
	for len(p.seen) > 2 && now.Sub(p.seen[1].at) >= paceWindow {
		p.seen = p.seen[1:]
	}
}

// perSecond returns how much the number has grown per second of late; 0: it has not.
func (p *pace) perSecond() float64 {
	if len(p.seen) == 0 {
		return 0
	}
	first, last := p.seen[0], p.seen[len(p.seen)-1]
	if took := last.at.Sub(first.at).Seconds(); took > 0 {
		return float64(last.number-first.number) / took
	}
	return 0
}

// rest returns how many seconds the rest takes at that pace; nil: that cannot be said.
func (p *pace) rest(number int) *int64 {
	rate := p.perSecond()
	if rate == 0 || number <= 0 {
		return nil
	}
	return new(int64(math.Ceil(float64(number) / rate)))
}
