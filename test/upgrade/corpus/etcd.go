package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Entry is an object as etcd holds it: JSON of custom resources, else Protobuf.
type Entry struct {
	Key   string `json:"key"`
	Value []byte `json:"value"`
}

// root is where kube-apiserver keeps its objects.
const root = "/registry/"

// Dump returns the objects in etcd below the prefixes, such as "configmaps/default/", in the order of their keys.
func Dump(ctx context.Context, etcd string, prefixes ...string) ([]Entry, error) {
	var entries []Entry
	for _, prefix := range prefixes {
		first := []byte(root + prefix)
		last := slices.Clone(first)
		last[len(last)-1]++ // the first key beyond the prefix
		var found struct {
			KVs []struct{ Key, Value []byte }
		}
		if err := call(ctx, etcd+"/v3/kv/range", map[string][]byte{"key": first, "range_end": last}, &found); err != nil {
			return nil, err
		}
		for _, kv := range found.KVs {
			entries = append(entries, Entry{Key: string(kv.Key), Value: kv.Value})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	return entries, nil
}

// Restore puts the objects into etcd. API servers learn of them by their watches.
func Restore(ctx context.Context, etcd string, entries []Entry) error {
	for _, entry := range entries {
		put := map[string][]byte{"key": []byte(entry.Key), "value": entry.Value}
		if err := call(ctx, etcd+"/v3/kv/put", put, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// call calls etcd over its JSON gateway, in which keys and values are base64.
func call(ctx context.Context, url string, arguments map[string][]byte, answer any) error {
	body, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", url, response.Status, content)
	}
	return json.Unmarshal(content, answer)
}
