package paths_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/json"

	"projection.sh/operator/mutations/paths"
)

// FuzzParse compares the parser with the pattern of admission: whatever is admitted is a path, and nothing else is.
func FuzzParse(f *testing.F) {
	for _, text := range notPaths {
		f.Add(text)
	}
	for _, text := range []string{"spec.template.spec.containers[name=web].image", `data["a.b"]`, "a[*][b=c,d=e]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := paths.Parse(text)
		if !utf8.ValidString(text) { // the API server accepts none
			return
		}
		wanted := utf8.RuneCountInString(text) <= paths.MaxLength && admitted.MatchString(text)
		require.Equal(t, wanted, err == nil, "%q: %v", text, err)
		if err == nil {
			require.Equal(t, text, path.String())
			again, err := paths.Parse(written(path.Steps()))
			require.NoError(t, err)
			require.Equal(t, path.Steps(), again.Steps())
		}
	})
}

// written returns the text of steps; a field is quoted if it has to be.
func written(steps []paths.Step) string {
	var text strings.Builder
	for i, step := range steps {
		switch {
		case step.Field != "" && admitted.MatchString(step.Field) && !strings.ContainsAny(step.Field, ".["):
			text.WriteString(map[bool]string{true: "", false: "."}[i == 0] + step.Field)
		case step.Field != "":
			text.WriteString(`["` + step.Field + `"]`)
		case len(step.Where) == 0:
			text.WriteString("[*]")
		default:
			conditions := make([]string, len(step.Where))
			for i, condition := range step.Where {
				conditions[i] = condition.Key + "=" + condition.Value
			}
			text.WriteString("[" + strings.Join(conditions, ",") + "]")
		}
	}
	return text.String()
}

// FuzzFilter applies any path to any content: no panic, Only and Remove have nothing in common, and both are idempotent.
func FuzzFilter(f *testing.F) {
	f.Add([]byte(`{"spec":{"containers":[{"name":"web","image":"a"},{"name":"log"}]}}`), "spec.containers[name=web].image")
	f.Add([]byte(`{"a":[[1,null],[]],"b":{"c":null}}`), "a[*][*]")
	f.Add([]byte(`{"a":{"":{"b":1}}}`), `a[*]`)
	f.Fuzz(func(t *testing.T, encoded []byte, text string) {
		var object map[string]any
		path, err := paths.Parse(text)
		if err != nil || json.Unmarshal(encoded, &object) != nil || object == nil {
			return
		}
		requireFiltered(t, object, []paths.Path{path})
	})
}

func requireFiltered(t *testing.T, object map[string]any, chosen []paths.Path) {
	t.Helper()
	object = deepCopy(t, object) // 1.0 becomes 1
	before := deepCopy(t, object)
	only := deepCopy(t, paths.Only(object, chosen))
	require.Equal(t, before, object, "the content stays as it is")
	require.Equal(t, only, paths.Only(only, chosen), "once more")

	paths.Remove(object, chosen)
	require.Empty(t, paths.Only(object, chosen), "nothing is left at the path")
	again := deepCopy(t, object)
	paths.Remove(again, chosen)
	require.Equal(t, object, again, "once more")
}

func deepCopy(t *testing.T, object map[string]any) (copied map[string]any) {
	t.Helper()
	encoded, err := json.Marshal(object)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(encoded, &copied))
	return copied
}

// Random paths meet random content of the same few names, so that most of them lead somewhere.
func TestRandomPathsOnRandomContent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		object := map[string]any{"a": randomValue(random, 4), "b": randomValue(random, 4)}
		chosen := parse(t, randomPath(random), randomPath(random))
		requireFiltered(t, object, chosen)
	}
}

func randomValue(random *rand.Rand, depth int) any {
	switch kind := random.IntN(6); {
	case kind < 2 && depth > 0:
		fields := map[string]any{}
		for _, name := range []string{"a", "b", "ä.", ""} {
			if random.IntN(2) == 0 {
				fields[name] = randomValue(random, depth-1)
			}
		}
		return fields
	case kind < 4 && depth > 0:
		list := make([]any, random.IntN(3))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	default:
		return []any{"x", int64(1), true, nil, 0.5}[random.IntN(5)]
	}
}

func randomPath(random *rand.Rand) string {
	steps := []string{".a", ".b", `["ä."]`, "[*]", "[*]", "[a=x]", "[b=1,a=true]"}
	var text strings.Builder
	text.WriteString([]string{"a", "b", "c"}[random.IntN(3)])
	for range random.IntN(4) {
		text.WriteString(steps[random.IntN(len(steps))])
	}
	return text.String()
}
