package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// Corpus is what a version has left.
type Corpus struct {
	// Commit is the one whose operator it was.
	Commit string
	// Definitions is the directory of the CustomResourceDefinitions of rules that this operator came with.
	Definitions string
	// Entries are the objects as etcd holds them.
	Entries []Entry
	// Objects are the same as an API server returns them, for people to read, and to compare with.
	Objects []*unstructured.Unstructured
}

// Kinds is the directory of the definition of the custom resource that is copied.
func Kinds() string { return filepath.Join(Dir(""), "kinds") }

// Dir returns the directory of the corpus of the version.
func Dir(version string) string {
	return filepath.Join(env.Root(), "test", "upgrade", "testdata", version)
}

const (
	commitFile  = "COMMIT"
	crdsDir     = "crds"
	entriesFile = "etcd.jsonl"
	objectsFile = "objects.yaml"
	separator   = "---\n"
)

// Load reads a corpus.
func Load(dir string) (*Corpus, error) {
	c := &Corpus{Definitions: filepath.Join(dir, crdsDir)}
	commit, err := os.ReadFile(filepath.Join(dir, commitFile))
	if err != nil {
		return nil, err
	}
	c.Commit = strings.TrimSpace(string(commit))
	lines, err := os.ReadFile(filepath.Join(dir, entriesFile))
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(lines) {
		var entry Entry
		if err := json.Unmarshal(line, &entry); err != nil {
			return nil, fmt.Errorf("%s: %w", entriesFile, err)
		}
		c.Entries = append(c.Entries, entry)
	}
	documents, err := os.ReadFile(filepath.Join(dir, objectsFile))
	if err != nil {
		return nil, err
	}
	for document := range strings.SplitSeq(string(documents), separator) {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", objectsFile, err)
		}
		if object.Object != nil {
			c.Objects = append(c.Objects, object)
		}
	}
	return c, nil
}

// Save writes the corpus. Its definitions are copied.
func (c *Corpus) Save(dir string) error {
	var lines, documents bytes.Buffer
	for _, entry := range c.Entries {
		line, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	for i, object := range c.Objects {
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		if i > 0 {
			documents.WriteString(separator)
		}
		documents.Write(document)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(dir, crdsDir), os.DirFS(c.Definitions)); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		commitFile: []byte(c.Commit + "\n"), entriesFile: lines.Bytes(), objectsFile: documents.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
