package destination

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestListThatDoesNotEnd has an API server repeat a page, or always have one more.
func TestListThatDoesNotEnd(t *testing.T) {
	for name, test := range map[string]struct {
		token func(page int) string
		pages int
		err   error
	}{
		"one page":      {func(int) string { return "" }, 1, nil},
		"two pages":     {func(page int) string { return map[int]string{0: "a"}[page] }, 2, nil},
		"the same page": {func(int) string { return "a" }, 2, errEndless},
		"always more":   {strconv.Itoa, maxPages, errEndless},
	} {
		t.Run(name, func(t *testing.T) {
			pages, objects := 0, 0
			err := EachPage(func(string) (*metav1.PartialObjectMetadataList, error) {
				page := &metav1.PartialObjectMetadataList{Items: make([]metav1.PartialObjectMetadata, 1)}
				page.Continue = test.token(pages)
				pages++
				return page, nil
			}, func(*metav1.PartialObjectMetadata) { objects++ })
			require.ErrorIs(t, err, test.err)
			assert.Equal(t, test.pages, pages)
			assert.Equal(t, test.pages, objects)
		})
	}
}
