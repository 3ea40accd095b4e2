package goldengen

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

type named []string

func (n named) RegisteredMutations() []string { return n }

func (named) FiringSet() ([]string, error) { return nil, nil }

func (named) RenderYAML() ([]byte, error) { return nil, nil }

func TestAssertComplete(t *testing.T) {
	// Mutation c is registered in the second version only.
	build := func(version string, spec []string) (Unit, error) {
		if version == "1.0.0" {
			return named(slices.DeleteFunc(slices.Clone(spec), func(name string) bool { return name == "c" })), nil
		}
		return named(spec), nil
	}
	requires := func(names ...string) []Expect {
		var all []Expect
		for _, name := range names {
			all = append(all, Expect{Name: name})
		}
		return all
	}
	valid := Config[[]string]{Dir: "d", Versions: []string{"1.0.0", "2.0.0"}, Build: build}
	with := func(exclude []string, fixtures ...Fixture[[]string]) Config[[]string] {
		config := valid
		config.Exclude, config.Fixtures = exclude, fixtures
		return config
	}
	failing := with(nil, Fixture[[]string]{Name: "f"})
	failing.Build = func(string, []string) (Unit, error) { return nil, errors.New("boom") }

	for name, test := range map[string]struct {
		config Config[[]string]
		code   int
		want   int
		output string
	}{
		"all are required or excluded": {config: with([]string{"b"},
			Fixture[[]string]{Name: "f", Spec: []string{"a", "b"}, Requires: requires("a")},
			Fixture[[]string]{Name: "g", Spec: []string{"a", "c"}, Requires: requires("c")})},
		"the code of failed tests": {config: with(nil, Fixture[[]string]{Name: "f", Spec: []string{"a"}}), code: 2, want: 2},
		"forbidden is not accounted": {
			config: with(nil, Fixture[[]string]{Name: "f", Spec: []string{"z", "c", "a"}, Forbids: requires("a", "c", "z"), Requires: requires("a")}),
			want:   1,
			output: "goldengen: unaccounted mutation \"c\" (require it in a fixture or add it to Exclude)\n" +
				"goldengen: unaccounted mutation \"z\" (require it in a fixture or add it to Exclude)\n",
		},
		"names that nobody registers": {
			config: with([]string{"y"}, Fixture[[]string]{Name: "f", Spec: []string{"a"}, Requires: requires("x", "a")}),
			want:   1,
			output: "goldengen: stale name \"x\" is required or excluded but not registered by any fixture\n" +
				"goldengen: stale name \"y\" is required or excluded but not registered by any fixture\n",
		},
		"a config that is not valid": {
			config: Config[[]string]{}, want: 1, output: "goldengen: invalid config: goldengen: Versions must not be empty\n",
		},
		"a fixture that cannot be built": {
			config: failing, want: 1, output: "goldengen: build fixture \"f\" for accounting: boom\n",
		},
		"a mutation without a name": {
			config: with(nil, Fixture[[]string]{Name: "f", Spec: []string{""}}),
			want:   1,
			output: "goldengen: fixture \"f\" registers a mutation with an empty Name\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var output bytes.Buffer
			assert.Equal(t, test.want, New(test.config).assertComplete(test.code, &output))
			assert.Equal(t, test.output, output.String())
		})
	}
}
