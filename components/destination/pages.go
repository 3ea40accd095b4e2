package destination

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxPages is how many pages a list may have. The API server may be one that nobody here administers.
const maxPages = 10000

// errEndless says that a list does not end. What it has had until then proves nothing.
var errEndless = errors.New("the list does not end; the API server, or a proxy in front of it, repeats pages")

// EachPage calls the function with all objects of a list that is read page by page, each with the token of the one before. It returns an error if the
// list does not end.
func EachPage(read func(next string) (*metav1.PartialObjectMetadataList, error), each func(*metav1.PartialObjectMetadata)) error {
	next := ""
	for range maxPages {
		page, err := read(next)
		if err != nil {
			return err
		}
		for i := range page.Items {
			each(&page.Items[i])
		}
		switch page.Continue {
		case "":
			return nil
		case next:
			return errEndless
		}
		next = page.Continue
	}
	return errEndless
}
