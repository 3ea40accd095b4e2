package faults_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"projection.sh/operator/test/faults"
)

const (
	content = `{"kind":"ConfigMap","apiVersion":"v1","data":{"a":"1"}}`
	object  = "/api/v1/namespaces/here/configmaps/settings"
	watched = "/api/v1/configmaps?watch=true"
	event   = `{"type":"ADDED","object":{}}` + "\n"
)

// stage is a proxy in front of a server that counts requests and sends events when it is told to.
type stage struct {
	t      *testing.T
	proxy  *faults.Proxy
	client *http.Client
	url    string
	asked  chan string
	events chan string
}

func newStage(t *testing.T, seed uint64) *stage {
	t.Helper()
	s := &stage{t: t, asked: make(chan string, 100), events: make(chan string, 10)}
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		s.asked <- request.Method + " " + request.URL.Path
		if request.URL.Query().Get("watch") == "" {
			_, _ = io.WriteString(writer, content)
			return
		}
		for {
			assert.NoError(t, http.NewResponseController(writer).Flush())
			select {
			case event := <-s.events:
				_, _ = io.WriteString(writer, event)
			case <-request.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	var err error
	s.proxy, err = faults.NewProxy(&rest.Config{Host: server.URL}, seed)
	require.NoError(t, err)
	t.Cleanup(s.proxy.Close)
	s.client, err = rest.HTTPClientFor(s.proxy.Config())
	require.NoError(t, err)
	s.url = s.proxy.Config().Host
	return s
}

// get returns the status and the body of an answer, and what went wrong with either.
func (s *stage) get(path string) (int, string, error) {
	s.t.Helper()
	code, _, body, err := s.ask(s.t.Context(), path)
	return code, body, err
}

// ask is get with the header of the answer, for a caller who may give up.
func (s *stage) ask(ctx context.Context, path string) (code int, header http.Header, body string, err error) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, http.NoBody)
	require.NoError(s.t, err)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(content), err
}

func (s *stage) spoil(fault faults.Fault) {
	s.proxy.Set(faults.Rule{Verbs: []string{"get"}, Resources: []string{"configmaps"}, Fault: fault, Delay: time.Millisecond})
}

func TestFaultsThatAreAnswers(t *testing.T) {
	s := newStage(t, 1)
	for _, fault := range faults.Statuses {
		s.spoil(fault)
		code, header, body, err := s.ask(t.Context(), object)
		require.NoError(t, err)
		assert.Equal(t, string(fault), strconv.Itoa(code))
		assert.Equal(t, fault == faults.TooMany, header.Get("Retry-After") == "1", "%s", fault)
		var status metav1.Status
		require.NoError(t, json.Unmarshal([]byte(body), &status))
		assert.EqualValues(t, code, status.Code)
		assert.Equal(t, 1, s.proxy.Spoiled()[fault])
	}
	assert.Empty(t, s.asked, "the API server hears of none")
	s.proxy.Clear()
	code, body, err := s.get(object)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, code)
	assert.JSONEq(t, content, body)
}

func TestFaultsOfTheConnection(t *testing.T) {
	tests := map[faults.Fault]struct {
		acted bool
		fails bool
		code  int
		body  string
	}{
		faults.Slow:        {acted: true, code: http.StatusOK, body: content},
		faults.ResetBefore: {fails: true},
		faults.ResetAfter:  {acted: true, fails: true},
		faults.CutBody:     {acted: true, fails: true, code: http.StatusOK, body: content[:len(content)/2]},
		faults.Malformed:   {code: http.StatusOK, body: `{"kind": 7, "items": [}`},
		faults.Empty:       {code: http.StatusOK},
		faults.Kindless:    {acted: true, code: http.StatusOK, body: `{"apiVersion":"v1","data":{"a":"1"}}` + "\n"},
		faults.NotServed:   {code: http.StatusNotFound, body: "404 page not found\n"},
	}
	for fault, test := range tests {
		t.Run(string(fault), func(t *testing.T) {
			s := newStage(t, 1)
			s.spoil(fault)
			code, body, err := s.get(object)
			assert.Equal(t, test.fails, err != nil, "%v", err)
			assert.Equal(t, test.code, code)
			assert.Equal(t, test.body, body)
			assert.Equal(t, test.acted, len(s.asked) > 0)
		})
	}
}

// open begins a watch, and returns its body when one event has come.
func (s *stage) open() io.ReadCloser {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+watched, http.NoBody)
	require.NoError(s.t, err)
	response, err := s.client.Do(request)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = response.Body.Close() }) // it may have ended
	s.events <- event
	s.expect(response.Body)
	return response.Body
}

func (s *stage) expect(body io.Reader) {
	s.t.Helper()
	got := make([]byte, len(event))
	_, err := io.ReadFull(body, got)
	require.NoError(s.t, err)
	assert.JSONEq(s.t, event, string(got))
}

func TestFaultsOfWatches(t *testing.T) {
	watches := faults.Rule{Verbs: []string{"watch"}}
	tests := map[faults.Fault]struct {
		rest  string
		fails bool
	}{
		faults.End:      {},
		faults.Torn:     {rest: `{"type":"MODIFIED","obj`, fails: true},
		faults.Outdated: {rest: `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}}` + "\n"},
	}
	for fault, test := range tests {
		t.Run(string(fault), func(t *testing.T) {
			s := newStage(t, 1)
			body := s.open()
			assert.Equal(t, 1, s.proxy.Watches(watches))
			watches.Fault = fault
			s.proxy.Disturb(watches)
			rest, err := io.ReadAll(body)
			assert.Equal(t, test.fails, err != nil, "%v", err)
			assert.Equal(t, test.rest, string(rest))
		})
	}
}

func TestSilentWatchIsHeardAfterwards(t *testing.T) {
	s := newStage(t, 1)
	body := s.open()
	s.proxy.Disturb(faults.Rule{Fault: faults.Silent})
	s.events <- event
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		s.expect(body)
	}()
	code, _, err := s.get(object) // another request on the same connection
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, code)
	select {
	case <-heard:
		require.Fail(t, "the watch is not silent")
	default:
	}
	s.proxy.Clear()
	<-heard
}

func TestHoldDeliversLate(t *testing.T) {
	s := newStage(t, 1)
	hold := s.proxy.Hold(func(request faults.Request) bool { return request.Namespace == "here" })
	answered := make(chan string)
	go func() {
		_, body, _ := s.get(object) // the body tells
		answered <- body
	}()
	<-hold.Arrived()
	assert.Empty(t, s.asked)
	_, _, err := s.get(object)
	require.NoError(t, err, "it holds one request only")
	assert.Equal(t, http.StatusOK, hold.Release())
	assert.JSONEq(t, content, <-answered)
}

func TestNoConnection(t *testing.T) {
	s := newStage(t, 1)
	body := s.open()
	s.proxy.Down()
	_, err := io.ReadAll(body)
	require.Error(t, err, "what was open is broken")
	_, _, err = s.get(object)
	require.Error(t, err)
	s.proxy.Up()
	_, _, err = s.get(object)
	assert.NoError(t, err)
}

// TestSeedSettlesWhichRequestsSuffer asks for several objects in two orders.
func TestSeedSettlesWhichRequestsSuffer(t *testing.T) {
	const objects, times = 5, 20
	fates := func(seed uint64, order func(int) (object, time int)) map[[2]int]bool {
		s := newStage(t, seed)
		s.proxy.Set(faults.Rule{Fault: faults.Internal, Percent: 50})
		suffered := map[[2]int]bool{}
		for i := range objects * times {
			number, time := order(i)
			code, _, err := s.get(object + strconv.Itoa(number))
			require.NoError(t, err)
			suffered[[2]int{number, time}] = code == http.StatusInternalServerError
		}
		return suffered
	}
	byObject := func(i int) (int, int) { return i / times, i % times }
	byTime := func(i int) (int, int) { return i % objects, i / objects }
	first := fates(1, byObject)
	assert.Equal(t, first, fates(1, byTime))
	assert.NotEqual(t, first, fates(2, byObject))
	count := 0
	for _, suffered := range first {
		if suffered {
			count++
		}
	}
	assert.InDelta(t, objects*times/2, count, objects*times/4)
}
