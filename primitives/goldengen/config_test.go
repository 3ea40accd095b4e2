package goldengen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/goldengen"
)

func TestValidate(t *testing.T) {
	valid := config("dir", same)
	require.NoError(t, valid.Validate())
	valid.Versions = append(valid.Versions, "v2.0.0-rc.1+build", "2..0")
	require.NoError(t, valid.Validate())
	version := func(one string) func(*goldengen.Config[spec]) {
		return func(c *goldengen.Config[spec]) { c.Versions, c.Exclude = append(c.Versions, one), []string{""} }
	}
	fixtures := func(all ...goldengen.Fixture[spec]) func(*goldengen.Config[spec]) {
		return func(c *goldengen.Config[spec]) { c.Fixtures = all }
	}
	for want, change := range map[string]func(*goldengen.Config[spec]){
		"goldengen: Versions must not be empty": func(c *goldengen.Config[spec]) { *c = goldengen.Config[spec]{} },
		"goldengen: Build must not be nil":      func(c *goldengen.Config[spec]) { c.Build, c.Dir = nil, "" },
		"goldengen: Dir must not be empty":      func(c *goldengen.Config[spec]) { c.Dir, c.Versions = "", []string{""} },
		"goldengen: Versions must not contain an empty string": func(c *goldengen.Config[spec]) {
			c.Versions, c.Exclude = append(c.Versions, ""), []string{""}
		},
		`goldengen: duplicate version "1.0.0" in Versions`: func(c *goldengen.Config[spec]) {
			c.Versions, c.Exclude = append(c.Versions, "1.0.0"), []string{""}
		},
		`goldengen: version "2.0/rc" is not a file name`: version("2.0/rc"),
		`goldengen: version "/2.0" is not a file name`:   version("/2.0"),
		`goldengen: version "2.0/" is not a file name`:   version("2.0/"),
		`goldengen: version ".." is not a file name`:     version(".."),
		`goldengen: version "../2.0" is not a file name`: version("../2.0"),
		"goldengen: Exclude must not contain an empty string": func(c *goldengen.Config[spec]) {
			c.Exclude, c.Fixtures[0].Name = []string{"a", ""}, ""
		},
		"goldengen: fixture name must not be empty":              fixtures(goldengen.Fixture[spec]{Requires: []goldengen.Expect{{}}}),
		`goldengen: duplicate fixture name "a"`:                  fixtures(goldengen.Fixture[spec]{Name: "a"}, goldengen.Fixture[spec]{Name: "a"}),
		`goldengen: fixture name ".." is not a folder below Dir`: fixtures(goldengen.Fixture[spec]{Name: ".."}),
		`goldengen: fixture name "./" is not a folder below Dir`: fixtures(goldengen.Fixture[spec]{Name: "./"}),
		`goldengen: fixture "a" has an expectation with an empty Name`: fixtures(goldengen.Fixture[spec]{
			Name: "a", Forbids: []goldengen.Expect{{For: "9.0.0"}},
		}),
		`goldengen: fixture "a" expectation "m" has For "9.0.0" not in Versions`: fixtures(goldengen.Fixture[spec]{
			Name: "a", Requires: []goldengen.Expect{{Name: "m", For: "9.0.0"}, {}},
		}),
	} {
		c := config("dir", same)
		change(&c)
		assert.EqualError(t, c.Validate(), want)
	}
}
