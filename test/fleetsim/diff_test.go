package fleetsim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"projection.sh/operator/test/fleetsim/sim"
)

// TestSimulatedClusterAnswersAsARealOne sends one script to both, and compares what they answer.
func TestSimulatedClusterAnswersAsARealOne(t *testing.T) {
	fleet, err := sim.New(1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, fleet.Close()) })
	actual, simulated := newDialogue(t, hub.Config), newDialogue(t, fleet.Clusters[0].Config())
	for _, step := range script {
		actual.send(t, step)
		simulated.send(t, step)
	}
	actual.rank()
	simulated.rank()
	for i, step := range script {
		t.Run(fmt.Sprintf("%02d %s %s", i, step.method, strings.TrimPrefix(step.path, spaces)), func(t *testing.T) {
			assert.Equal(t, shown(t, actual.answers[i]), shown(t, simulated.answers[i]))
		})
	}
}

func shown(t *testing.T, content any) string {
	t.Helper()
	text, err := json.MarshalIndent(content, "", "  ")
	require.NoError(t, err)
	return string(text)
}

// dialogue is what one server was asked, and has answered.
type dialogue struct {
	client  *http.Client
	host    string
	answers []map[string]any
	named   map[string]map[string]any // the metadata in the answers of steps that have a name
	uids    map[string]string         // by the uid, in which order they were seen
	latest  int                       // the highest version that was seen
}

func newDialogue(t *testing.T, config *rest.Config) *dialogue {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return &dialogue{client: client, host: strings.TrimSuffix(config.Host, "/"), named: map[string]map[string]any{}, uids: map[string]string{}}
}

// send sends the request of a step, and notes the answer without what differs between servers.
func (d *dialogue) send(t *testing.T, step step) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), step.method, d.host+d.filled(step.path), strings.NewReader(d.filled(step.body)))
	require.NoError(t, err)
	request.Header.Set("User-Agent", "differ/1")
	request.Header.Set("Accept", step.accept)
	if step.accept == "" {
		request.Header.Set("Accept", asJSON)
	}
	if step.sends != "" {
		request.Header.Set("Content-Type", step.sends)
	}
	response, err := d.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	answer := map[string]any{"code": response.StatusCode, "type": response.Header.Get("Content-Type")}
	d.answers = append(d.answers, answer)
	if strings.Contains(step.path, "watch=true") && response.StatusCode == http.StatusOK {
		answer["events"] = d.events(t, content)
		return
	}
	var object map[string]any
	if json.Unmarshal(content, &object) != nil {
		answer["text"] = string(content)
		return
	}
	if metadata, ok := object["metadata"].(map[string]any); ok && step.name != "" {
		d.named[step.name] = map[string]any{"version": metadata["resourceVersion"], "uid": metadata["uid"]}
	}
	answer["object"] = d.simplified(object)
}

// filled puts in what earlier answers have said.
func (d *dialogue) filled(text string) string {
	for name, values := range d.named {
		for key, value := range values {
			text = strings.ReplaceAll(text, "$"+name+"."+key, fmt.Sprint(value))
		}
	}
	return text
}

// events returns those of a watch, without bookmarks that say no more than the version.
func (d *dialogue) events(t *testing.T, content []byte) (events []any) {
	t.Helper()
	for line := range bytes.Lines(content) {
		var event map[string]any
		require.NoError(t, json.Unmarshal(line, &event))
		object, _ := event["object"].(map[string]any)
		metadata, _ := object["metadata"].(map[string]any)
		if event["type"] == "BOOKMARK" {
			if metadata["annotations"] == nil {
				continue
			}
			delete(metadata, "resourceVersion")
		}
		event["object"] = d.simplified(object)
		events = append(events, event)
	}
	return events
}

// simplified removes what differs from server to server, and says in which order uids were seen.
func (d *dialogue) simplified(object map[string]any) map[string]any {
	if object["kind"] == "Status" {
		delete(object, "message") // nobody decides by it
		if details, ok := object["details"].(map[string]any); ok {
			delete(details, "causes")
		}
	}
	if object["kind"] == "APIVersions" {
		delete(object, "serverAddressByClientCIDRs")
	}
	if metadata, ok := object["metadata"].(map[string]any); ok && object["items"] != nil {
		version, _ := strconv.Atoi(fmt.Sprint(metadata["resourceVersion"]))
		metadata["resourceVersion"] = version >= d.latest // others write to a real server, too
		if metadata["continue"] != nil {
			metadata["continue"] = "more"
		}
	}
	if metadata, ok := object["metadata"].(map[string]any); ok && strings.HasSuffix(fmt.Sprint(object["kind"]), "Review") {
		delete(metadata, "managedFields") // it is not stored
	}
	d.walk(object)
	return object
}

func (d *dialogue) walk(value any) {
	switch typed := value.(type) {
	case []any:
		for _, each := range typed {
			d.walk(each)
		}
	case map[string]any:
		for key, each := range typed {
			text, _ := each.(string)
			switch {
			case key == "uid" && text != "":
				typed[key] = d.numbered(text)
			case key == "resourceVersion" && text != "":
				version, _ := strconv.Atoi(text)
				d.latest = max(d.latest, version)
			case key == "creationTimestamp", key == "time", key == "deletionTimestamp":
				typed[key] = each != nil
			default:
				d.walk(each)
			}
			if key == "managedFields" {
				sortEntries(each)
			}
		}
	}
}

// sortEntries puts the entries of managedFields into an order that does not depend on the second in which they were written.
func sortEntries(entries any) {
	list, _ := entries.([]any)
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(entryKey(a), entryKey(b)) })
}

// entryKey returns what no two entries of one object have in common.
func entryKey(entry any) string {
	of, _ := entry.(map[string]any)
	return fmt.Sprint(of["manager"], "/", of["operation"], "/", of["subresource"])
}

func (d *dialogue) numbered(uid string) string {
	if d.uids[uid] == "" {
		d.uids[uid] = "uid " + strconv.Itoa(len(d.uids))
	}
	return d.uids[uid]
}

// rank replaces each version by its place among all versions that were seen.
func (d *dialogue) rank() {
	var versions []int
	each := func(do func(holder map[string]any, version int)) {
		for _, answer := range d.answers {
			eachVersion(answer, do)
		}
	}
	each(func(_ map[string]any, version int) { versions = append(versions, version) })
	slices.Sort(versions)
	versions = slices.Compact(versions)
	each(func(holder map[string]any, version int) {
		place, _ := slices.BinarySearch(versions, version)
		holder["resourceVersion"] = "version " + strconv.Itoa(place)
	})
}

func eachVersion(value any, do func(map[string]any, int)) {
	switch typed := value.(type) {
	case []any:
		for _, each := range typed {
			eachVersion(each, do)
		}
	case map[string]any:
		for key, each := range typed {
			if text, ok := each.(string); ok && key == "resourceVersion" {
				if version, err := strconv.Atoi(text); err == nil {
					do(typed, version)
				}
				continue
			}
			eachVersion(each, do)
		}
	}
}
