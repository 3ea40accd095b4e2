package golden

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Previewer shows the object that it would apply. The resources of the kit are Previewers.
type Previewer interface {
	// Preview returns the object, without an API server.
	Preview() (client.Object, error)
}

// ComponentPreviewer shows the objects that it would apply, in order. Components are ComponentPreviewers.
type ComponentPreviewer interface {
	// Preview returns the objects, without an API server.
	Preview() ([]client.Object, error)
}

type options struct {
	update bool
	scheme *runtime.Scheme
}

// Option changes how a comparison is made.
type Option func(*options)

// Update has the file written instead of compared.
func Update(update bool) Option { return func(o *options) { o.update = update } }

// WithScheme looks up the kinds of typed objects that do not say theirs.
func WithScheme(scheme *runtime.Scheme) Option { return func(o *options) { o.scheme = scheme } }

func newOptions(opts []Option) options {
	var chosen options
	for _, opt := range opts {
		opt(&chosen)
	}
	return chosen
}

// MismatchError says that an object is not what its golden file says.
type MismatchError struct {
	// Path is the golden file.
	Path string
	// Diff is a unified diff from the file to the object.
	Diff string
}

// Error returns the path and the diff.
func (e *MismatchError) Error() string {
	return fmt.Sprintf("golden file mismatch: %s\n\n%s", e.Path, e.Diff)
}

// CompareYAML compares the preview of a resource with the file. A difference is a MismatchError.
func CompareYAML(path string, p Previewer, opts ...Option) error {
	chosen := newOptions(opts)
	object, err := p.Preview()
	if err != nil {
		return fmt.Errorf("Preview failed: %w", err) //nolint:staticcheck // named after the method
	}
	content, err := Serialize(object, chosen.scheme)
	if err != nil {
		return fmt.Errorf("failed to serialize object to YAML: %w", err)
	}
	return CompareBytes(path, content, opts...)
}

// CompareComponentYAML compares the preview of a component, as one document an object, with the file. A difference is
// a MismatchError.
func CompareComponentYAML(path string, p ComponentPreviewer, opts ...Option) error {
	chosen := newOptions(opts)
	objects, err := p.Preview()
	if err != nil {
		return fmt.Errorf("Preview failed: %w", err) //nolint:staticcheck // named after the method
	}
	content, err := SerializeComponent(objects, chosen.scheme)
	if err != nil {
		return fmt.Errorf("failed to serialize component objects to YAML: %w", err)
	}
	return CompareBytes(path, content, opts...)
}

// AssertYAML fails the test if CompareYAML does.
func AssertYAML(t testing.TB, path string, p Previewer, opts ...Option) {
	t.Helper()
	if err := CompareYAML(path, p, opts...); err != nil {
		t.Error(err)
	}
}

// AssertComponentYAML fails the test if CompareComponentYAML does.
func AssertComponentYAML(t testing.TB, path string, p ComponentPreviewer, opts ...Option) {
	t.Helper()
	if err := CompareComponentYAML(path, p, opts...); err != nil {
		t.Error(err)
	}
}

// CompareBytes compares content that was rendered by other means with the file. A difference is a MismatchError.
func CompareBytes(path string, content []byte, opts ...Option) error {
	if newOptions(opts).update {
		return write(path, content)
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("golden file %s does not exist; run with -update to create it", path)
	}
	if err != nil {
		return fmt.Errorf("failed to read golden file: %w", err)
	}
	if bytes.Equal(want, content) {
		return nil
	}
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(string(want)), FromFile: "expected",
		B: difflib.SplitLines(string(content)), ToFile: "actual",
		Context: 3,
	})
	if err != nil {
		return err
	}
	return &MismatchError{Path: path, Diff: diff}
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("failed to create golden file directory: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // kept in the repository
		return fmt.Errorf("failed to write golden file: %w", err)
	}
	return nil
}
