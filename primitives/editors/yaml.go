package editors

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	goyaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"
)

var errSeveralDocuments = errors.New("more than one document")

// parseYAML returns what one document of YAML says, with numbers as they are written in JSON.
func parseYAML(text string) (any, error) {
	if err := requireOneDocument(text); err != nil {
		return nil, err
	}
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}

// requireOneDocument fails for more than one document. Empty ones after the first do not count.
func requireOneDocument(text string) error {
	decoder := goyaml.NewDecoder(strings.NewReader(text))
	for first := true; ; first = false {
		var document any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !first && document != nil {
			return errSeveralDocuments
		}
	}
}

func marshalYAML(value any) (string, error) {
	text, err := yaml.Marshal(value)
	return string(text), err
}

// merge returns base with overlay laid over it.
func merge(base, overlay any) any {
	into, isMap := base.(map[string]any)
	from, overlayIsMap := overlay.(map[string]any)
	if !isMap || !overlayIsMap {
		return overlay
	}
	for key, value := range from {
		if existing, found := into[key]; found {
			value = merge(existing, value)
		}
		into[key] = value
	}
	return into
}
