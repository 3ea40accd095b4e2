package projector

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/source"
)

// TestObjectsOfCirclesAreReadOnce has several searches ask for the same objects together.
func TestObjectsOfCirclesAreReadOnce(t *testing.T) {
	const searches, places = 8, 50
	var objects ringObjects
	var reads [places]atomic.Int32
	var running sync.WaitGroup
	for range searches {
		running.Go(func() {
			for i := range places {
				at := place(strconv.Itoa(i))
				read := objects.get(at, func() Fetched {
					reads[i].Add(1)
					return Fetched{object: copyBy(at.Name, at), err: source.ErrNotFound}
				})
				assert.Equal(t, at.Name, read.object.GetName())
				assert.ErrorIs(t, read.err, source.ErrNotFound)
			}
		})
	}
	running.Wait()
	for i := range places {
		assert.EqualValues(t, 1, reads[i].Load(), "place %d", i)
	}
}
