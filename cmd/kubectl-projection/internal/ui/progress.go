package ui

// Progress says how much of something is done.
type Progress struct {
	Label string
	// Parts are those of a bar.
	Parts []Part
	// IsMoving reports whether the label changes although nothing else does.
	IsMoving bool
}

// Part is a part of a bar.
type Part struct {
	Tone  Tone
	Count int
}

// The bar has a length in units of its picture. The smallest part that is not empty can still be seen.
const (
	barLength  = 1000
	barVisible = 6
)

// Bar is a part of a bar, as it is drawn.
type Bar struct {
	Tone      Tone
	At, Width int
}

// Bars returns the parts that are not empty, one after the other.
func (p *Progress) Bars() (bars []Bar) {
	all, longest := 0, 0
	for _, part := range p.Parts {
		all += part.Count
	}
	for _, part := range p.Parts {
		if part.Count == 0 {
			continue
		}
		bars = append(bars, Bar{Tone: part.Tone, Width: max(part.Count*barLength/all, barVisible)})
		if last := len(bars) - 1; bars[last].Width > bars[longest].Width {
			longest = last
		}
	}
	rest := barLength
	for _, drawn := range bars {
		rest -= drawn.Width
	}
	at := 0
	for i := range bars {
		if i == longest {
			bars[i].Width += rest
		}
		bars[i].At = at
		at += bars[i].Width
	}
	return bars
}
