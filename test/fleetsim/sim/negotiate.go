package sim

import (
	"mime"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// format is how an answer is written.
type format struct {
	protobuf bool
	metadata bool // as PartialObjectMetadata
	grouped  bool // discovery of all groups at once
}

func (f format) contentType() string {
	if f.protobuf {
		return runtime.ContentTypeProtobuf
	}
	return runtime.ContentTypeJSON
}

// accepted returns the first format in the header that is served.
func accepted(header string) (format, bool) {
	if header == "" {
		return format{}, true
	}
	for each := range strings.SplitSeq(header, ",") {
		media, parameters, err := mime.ParseMediaType(each)
		if err != nil {
			continue
		}
		f := format{protobuf: media == runtime.ContentTypeProtobuf}
		if !f.protobuf && media != runtime.ContentTypeJSON && media != "*/*" && media != "application/*" {
			continue
		}
		switch parameters["as"] {
		case "":
			return f, true
		case "PartialObjectMetadata", "PartialObjectMetadataList":
			f.metadata = true
			return f, parameters["g"] == metav1.GroupName
		case "APIGroupDiscoveryList":
			f.grouped = true
			if parameters["v"] == "v2" && parameters["profile"] == "" {
				return f, true
			}
		}
	}
	return format{}, false
}
