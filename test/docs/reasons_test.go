package docs_test

import (
	"context"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

const reasonsPage = "docs/troubleshooting.md"

// untold are reasons that the page explains without quoting what an operator told: no test has a way to it.
var untold = []string{
	v1.ReasonRuleNotSelected,           // an operator that selects rules; test/integration has one
	v1.ReasonInternalError,             // a panic; test/property has some
	v1.ReasonNamespaceResolutionFailed, // namespaces come from a cache, and selectors are checked at admission
	// They take another cluster, which test/pull has.
	v1.ReasonSourceNotExportable, v1.ReasonSourceClusterNotFound, v1.ReasonSourceClusterNotPermitted, v1.ReasonSourceClusterUnreachable,
	v1.ReasonSourceClusterChanged,
	v1.ReasonCopiesGivenUp, v1.ReasonClusterUnreachable, v1.ReasonClusterNotFound, v1.ReasonClusterNotPermitted, v1.ReasonClusterChanged,
}

// reasons returns every reason that the API package exports.
func reasons(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, reason := range constants(t, "api/v1/conditions.go", "Reason") {
		found[reason] = true
	}
	return found
}

func TestEveryReasonHasAHeading(t *testing.T) {
	missing := reasons(t)
	maps.Copy(missing, clusterReasons(t))
	for _, heading := range pages(t)[reasonsPage].Headings {
		if heading.Level == 3 {
			assert.True(t, missing[heading.Text], "%s is no reason", heading.Text)
			delete(missing, heading.Text)
		}
	}
	assert.Empty(t, missing, "%s does not explain them", reasonsPage)
}

// telling is a reason, and the message that comes with it.
type telling struct{ reason, message string }

// documented returns what the page quotes: the first column of the tables below the reasons.
func documented(t *testing.T) map[telling]bool {
	t.Helper()
	known, found, explained := reasons(t), map[telling]bool{}, map[string]bool{}
	for _, row := range pages(t)[reasonsPage].Rows {
		if message, quoted := strings.CutPrefix(row.Cells[0], "`"); known[row.Heading] && quoted {
			found[telling{row.Heading, strings.TrimSuffix(message, "`")}] = true
			explained[row.Heading] = true
		}
	}
	for _, reason := range untold {
		assert.False(t, explained[reason], "%s is told after all", reason)
		delete(known, reason)
	}
	for reason := range known {
		assert.True(t, explained[reason], "the page quotes no message of %s", reason)
	}
	return found
}

// TestMessagesAreThoseOfTheOperator makes rules fail in every way, and compares what they tell with what the page quotes.
func TestMessagesAreThoseOfTheOperator(t *testing.T) {
	sweepAfter(t, cluster)
	wanted := documented(t)
	runNarrow(t)
	require.NoError(t, reader.does("bash test/docs/testdata/begin.sh\n", ""))
	heard := listen(t)
	heard.all()
	require.NoError(t, reader.does("bash test/docs/testdata/changes.sh\n", ""))
	heard.slowCopies()
	for began := time.Now(); time.Since(began) < timeout; {
		if heard.all(); len(heard.missing(wanted)) == 0 {
			break
		}
	}
	if !assert.Empty(t, heard.missing(wanted), "the page quotes what no rule tells") {
		for told := range heard.told {
			t.Logf("told: %s: %s", told.reason, told.message)
		}
	}
	for reason, wanted := range wantedPlaces {
		assert.Equal(t, map[reportedIn]bool{wanted: true}, heard.places[reason], reason)
	}
}

// runNarrow runs a second operator, which has few rights and serves its own rules.
func runNarrow(t *testing.T) {
	t.Helper()
	require.NoError(t, reader.does("kubectl apply -f test/docs/testdata/narrow.yaml\n", ""))
	config, err := cluster.ConfigFor(narrowUser)
	require.NoError(t, err)
	operator := manager.Start(config, func(o *app.Options) { o.WatchLabelSelector = narrow })
	t.Cleanup(func() {
		require.NoError(t, operator.Stop())
		require.NoError(t, reader.does("bash test/docs/testdata/letgo.sh\n", ""))
	})
}

// allNamespaces is how a message counts the namespaces of the cluster.
var allNamespaces = regexp.MustCompile(`none of [0-9]+ namespaces`)

const narrowUser = "system:serviceaccount:projection-system:narrow"

// reportedIn is the condition that has a reason, and whether the rule is stalled then.
type reportedIn struct {
	condition string
	stalled   bool
}

// wantedPlaces are those of reasons that come with a field, and that say why a rule cannot be carried out as it stands.
var wantedPlaces = map[string]reportedIn{
	v1.ReasonRuleInvalid:             {v1.ConditionDestinationWritten, true},
	v1.ReasonSourceIncomplete:        {v1.ConditionSourceResolved, false},
	v1.ReasonRenderFailed:            {v1.ConditionDestinationWritten, true},
	v1.ReasonDestinationNotPermitted: {v1.ConditionDestinationWritten, true},
	v1.ReasonSuspended:               {v1.ConditionDestinationWritten, true},
	v1.ReasonRolloutInProgress:       {v1.ConditionDestinationWritten, false},
	v1.ReasonRolloutHeld:             {v1.ConditionDestinationWritten, true},
}

// listener collects what rules tell by conditions, failures and events.
type listener struct {
	t      *testing.T
	client client.Client
	// places says where each reason was reported.
	places map[string]map[reportedIn]bool
	told   map[telling]bool
}

func listen(t *testing.T) *listener {
	t.Helper()
	return &listener{t: t, client: fixture.Client(t, cluster.Config), told: map[telling]bool{}, places: map[string]map[reportedIn]bool{}}
}

func (l *listener) all() {
	l.t.Helper()
	var rules v1.ProjectionList
	var clusterRules v1.ClusterProjectionList
	var events eventsv1.EventList
	for _, list := range []client.ObjectList{&rules, &clusterRules, &events} {
		require.NoError(l.t, l.client.List(context.Background(), list))
	}
	for i := range rules.Items {
		l.conditions(rules.Items[i].Status.Conditions)
	}
	for i := range clusterRules.Items {
		l.conditions(clusterRules.Items[i].Status.Conditions)
		for _, failure := range clusterRules.Items[i].Status.Failures {
			l.hear(failure.Reason, failure.Message)
		}
	}
	for i := range events.Items {
		l.hear(events.Items[i].Reason, events.Items[i].Note)
	}
}

func (l *listener) conditions(conditions []metav1.Condition) {
	isStalled := meta.IsStatusConditionTrue(conditions, v1.ConditionStalled)
	for _, condition := range conditions {
		l.hear(condition.Reason, condition.Message)
		if condition.Type == v1.ConditionReady || condition.Type == v1.ConditionStalled {
			continue
		}
		if l.places[condition.Reason] == nil {
			l.places[condition.Reason] = map[reportedIn]bool{}
		}
		l.places[condition.Reason][reportedIn{condition.Type, isStalled}] = true
	}
}

func (l *listener) hear(reason, message string) {
	message = slowCopy.ReplaceAllString(strings.ReplaceAll(message, narrowUser, operatorUser), "slow")
	l.told[telling{reason, allNamespaces.ReplaceAllString(message, "none of 214 namespaces")}] = true
}

func (l *listener) missing(wanted map[telling]bool) []telling {
	var missing []telling
	for telling := range wanted {
		if !l.told[telling] {
			missing = append(missing, telling)
		}
	}
	return missing
}
