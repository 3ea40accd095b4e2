package mutations_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"projection.sh/operator/mutations"
)

// The result is that of the ordered list of objects, however it is computed: by a simple model of each policy.
func TestMergeIsAFunctionOfTheOrderedList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	policies := []mutations.KeyConflict{mutations.FailOnConflict, mutations.FirstOnConflict, mutations.LastOnConflict, mutations.JoinOnConflict}
	for range 2000 {
		policy, of := policies[random.IntN(len(policies))], []string{"ConfigMap", "Secret"}[random.IntN(2)]
		objects := make([]map[string]string, 1+random.IntN(5))
		for i := range objects {
			objects[i] = map[string]string{}
			for range random.IntN(4) {
				objects[i][string(rune('a'+random.IntN(3)))] = []string{"1", "2", "1\n", "", "3\n4"}[random.IntN(5)]
			}
		}
		in := kind("", of)
		in.Merge.OnKeyConflict = policy
		for _, values := range objects[1:] {
			in.Merge.Layers = append(in.Merge.Layers, mutations.Layer{Content: withData(of, values)})
		}
		wanted, fails := modelOf(policy, objects)
		if len(objects) == 1 {
			fails = false
		}
		merged, err := tryApply(t, mutations.MergeLayers, in, withData(of, objects[0]))
		require.Equal(t, fails, err != nil, "%s %v: %v", policy, objects, err)
		if fails {
			continue
		}
		want := withData(of, wanted)
		if len(wanted) == 0 && len(objects) > 1 {
			delete(want, "data")
		}
		require.Equal(t, want, merged, "%s %v", policy, objects)
	}
}

func withData(of string, values map[string]string) map[string]any {
	data := map[string]any{}
	for key, value := range values {
		if data[key] = value; of == "Secret" {
			data[key] = base64.StdEncoding.EncodeToString([]byte(value))
		}
	}
	return map[string]any{"data": data}
}

// modelOf merges texts by a policy, key after key and object after object.
func modelOf(policy mutations.KeyConflict, objects []map[string]string) (merged map[string]string, fails bool) {
	merged = map[string]string{}
	for _, key := range []string{"a", "b", "c"} {
		var values []string
		differ := false
		for _, object := range objects {
			if value, found := object[key]; found {
				values = append(values, value)
				differ = differ || value != values[0]
			}
		}
		switch {
		case len(values) == 0:
			continue
		case !differ || policy == mutations.FirstOnConflict:
			merged[key] = values[0]
		case policy == mutations.LastOnConflict:
			merged[key] = values[len(values)-1]
		case policy == mutations.FailOnConflict:
			return nil, true
		default:
			seen := map[string]bool{}
			for _, value := range values {
				if value = strings.TrimSuffix(value, "\n"); value != "" && !seen[value] {
					seen[value] = true
					merged[key] += value + "\n"
				}
			}
			merged[key] += "" // a key without a line
		}
	}
	return merged, false
}

func FuzzMergeLayers(f *testing.F) {
	f.Add(`{"data":{"a":"1"}}`, `{"data":{"a":"2"},"binaryData":{"b":"AA=="}}`, "Join", true)
	f.Add(`{"data":[]}`, `{"binaryData":{"a":{}}}`, "Last", false)
	f.Add(`{}`, `{"metadata":{"annotations":{"projection.sh/published-keys":"a"}}}`, "", false)
	f.Fuzz(func(t *testing.T, source, layer, policy string, asSecret bool) {
		objects := []map[string]any{}
		for _, text := range []string{source, layer} {
			var fields map[string]any
			if json.Unmarshal([]byte(text), &fields) != nil || fields == nil {
				return
			}
			objects = append(objects, fields)
		}
		in := kind("", "ConfigMap")
		if asSecret {
			in = kind("", "Secret")
		}
		in.Merge = mutations.Merge{OnKeyConflict: mutations.KeyConflict(policy), Layers: []mutations.Layer{{Content: objects[1]}}}
		once, err := tryApply(t, mutations.MergeLayers, in, objects[0])
		again, _ := tryApply(t, mutations.MergeLayers, in, objects[0])
		require.Equal(t, once, again)
		if err != nil {
			return
		}
		for _, object := range objects {
			for _, key := range keysOf(&uns.Unstructured{Object: object}) {
				require.Contains(t, keysOf(&uns.Unstructured{Object: once}), key)
			}
		}
	})
}
