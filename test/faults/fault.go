package faults

import (
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is something that goes wrong with a request or its answer.
type Fault string

// Faults of any request.
const (
	// Slow passes the request on after a delay.
	Slow Fault = "slow"
	// Hang answers nothing until the faults are over or the caller gives up.
	Hang Fault = "hang"
	// ResetBefore breaks the connection, with all that goes over it, before the API server has heard of the request.
	ResetBefore Fault = "reset before"
	// ResetAfter breaks it when the API server has acted.
	ResetAfter Fault = "reset after"
	// CutBody lets the first half of the answer through.
	CutBody Fault = "cut"
	// Malformed answers with what is no JSON, and Empty with nothing, both as a success.
	Malformed Fault = "malformed"
	Empty     Fault = "empty"
	// Kindless answers with what was asked for, less its kind, which no client can decode. Events of a watch likewise.
	Kindless Fault = "no kind"
	// NotServed is the 404 of a path that the API server does not know.
	NotServed Fault = "404 of the path"
)

// Faults that are an error of the API server's.
const (
	Expired     Fault = "401" // of the token
	Forbidden   Fault = "403"
	Conflict    Fault = "409"
	Gone        Fault = "410"
	TooMany     Fault = "429" // with Retry-After
	Internal    Fault = "500"
	BadGateway  Fault = "502"
	Unavailable Fault = "503"
	Timeout     Fault = "504"
)

// Faults of watches that are open.
const (
	// Silent lets no event through, and keeps the connection.
	Silent Fault = "silent"
	// End ends the watch as the API server does now and then.
	End Fault = "end"
	// Torn breaks it off in the middle of an event.
	Torn Fault = "torn"
	// Outdated sends the 410 that asks for a new list.
	Outdated Fault = "410 in the watch"
)

// Statuses are the faults that are answers of an API server.
var Statuses = []Fault{Expired, Forbidden, Conflict, Gone, TooMany, Internal, BadGateway, Unavailable, Timeout}

type failure struct {
	code   int32
	reason metav1.StatusReason
}

var failures = map[Fault]failure{
	Expired:     {http.StatusUnauthorized, metav1.StatusReasonUnauthorized},
	Forbidden:   {http.StatusForbidden, metav1.StatusReasonForbidden},
	Conflict:    {http.StatusConflict, metav1.StatusReasonConflict},
	Gone:        {http.StatusGone, metav1.StatusReasonExpired},
	TooMany:     {http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests},
	Internal:    {http.StatusInternalServerError, metav1.StatusReasonInternalError},
	BadGateway:  {http.StatusBadGateway, metav1.StatusReasonUnknown},
	Unavailable: {http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable},
	Timeout:     {http.StatusGatewayTimeout, metav1.StatusReasonTimeout},
}

// Rule says which requests suffer from which fault.
type Rule struct {
	// Verbs and Resources of the requests; none stands for all. Discovery is the verb "discover".
	Verbs, Resources []string
	// Where narrows that further; nil does not.
	Where func(Request) bool
	Fault Fault
	// Percent of the requests that suffer; 0 stands for all.
	Percent uint64
	// Delay of a slow request.
	Delay time.Duration
}

func (r Rule) matches(request Request) bool {
	return (len(r.Verbs) == 0 || slices.Contains(r.Verbs, request.Verb)) &&
		(len(r.Resources) == 0 || slices.Contains(r.Resources, request.Resource)) &&
		(r.Where == nil || r.Where(request))
}
