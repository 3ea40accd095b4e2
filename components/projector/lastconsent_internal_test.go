package projector

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

func TestSourceThatCannotBeReadBeforeAHandOver(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", errors.New("no"))
	f := newFixture(t)
	p := f.scope(newRule())
	assert.NoError(t, p.named().unlessUnreadable(nil))
	assert.NoError(t, p.named().unlessUnreadable(plan.Unreadable(p.kind, p.spec.Source, forbidden)), "the deletion of a rule waits for no permission")
	assert.NoError(t, p.named().unlessUnreadable(&plan.Error{Err: &source.KindError{}}), "nor for a kind that is not served")
	assert.Equal(t, plan.ErrNotRead, p.named().unlessUnreadable(plan.ErrNotRead))

	timeout := plan.Unreadable(p.kind, p.spec.Source, apierrors.NewTimeoutError("late", 1))
	for cause, deleted := range map[v1.RetainCause]*metav1.Time{v1.RetainTargetDropped: nil, v1.RetainRuleDeleted: {Time: now}} {
		p.rule.DeletionTimestamp = deleted
		var stopped *plan.Error
		require.ErrorAs(t, p.named().unlessUnreadable(timeout), &stopped)
		assert.True(t, stopped.Retry)
		assert.Equal(t, v1.ConditionDestinationWritten, stopped.Condition)
		assert.Contains(t, stopped.Sentence(), "copies are kept; the operator retries; remove "+string(cause)+" from spec.policy.retain")
	}
}

// TestRuleThatIsDeletedWaitsSilentlyForARead has no client, so the status cannot be written.
func TestRuleThatIsDeletedWaitsSilentlyForARead(t *testing.T) {
	f, rule := newFixture(t), newRule()
	rule.DeletionTimestamp = &metav1.Time{Time: now}
	f.remember(ruleKey, watch.SourceChanged, now)
	result, err := f.scope(rule).finish(t.Context(), plan.ErrNotRead)
	require.NoError(t, err)
	assert.Equal(t, reconcile.Result{RequeueAfter: f.config.Requeue}, result)
	assert.Len(t, f.takeTriggers(), 1)
	assert.Empty(t, f.recorder.take())
}

const recordOfSource = "ConfigMap/home/settings"

// patched is a client that takes patches.
type patched struct {
	behind
	patches int
}

func (p *patched) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	p.patches++
	return nil
}

// TestRecordOfConsentEndsBeforeACopyIsDeleted asks what is left of the record when the phases begin that delete.
func TestRecordOfConsentEndsBeforeACopyIsDeleted(t *testing.T) {
	consents, vetoed := map[string]string{v1.AnnotationProjectable: "true"}, map[string]string{v1.AnnotationProjectable: "false"}
	tests := map[string]struct {
		retain      []v1.RetainCause
		recorded    string
		event       apiwatch.EventType
		annotations map[string]string
		problem     string
		stays       bool
	}{
		"the source consents":            {[]v1.RetainCause{v1.RetainSourceGone}, recordOfSource, apiwatch.Modified, consents, "", true},
		"deleted with consent":           {[]v1.RetainCause{v1.RetainSourceGone}, recordOfSource, apiwatch.Deleted, consents, v1.ReasonSourceDeleted, true},
		"deleted after an opt-out":       {[]v1.RetainCause{v1.RetainSourceGone}, recordOfSource, apiwatch.Deleted, vetoed, v1.ReasonSourceDeleted, false},
		"not there, after an opt-out":    {[]v1.RetainCause{v1.RetainSourceGone}, recordOfSource, apiwatch.Modified, vetoed, v1.ReasonSourceNotFound, false},
		"opted out":                      {[]v1.RetainCause{v1.RetainRuleDeleted}, recordOfSource, apiwatch.Modified, vetoed, v1.ReasonSourceOptedOut, false},
		"not opted in":                   {[]v1.RetainCause{v1.RetainRuleDeleted}, recordOfSource, apiwatch.Modified, nil, v1.ReasonSourceNotProjectable, false},
		"the record is of another":       {[]v1.RetainCause{v1.RetainSourceGone}, "ConfigMap/home/another", apiwatch.Modified, consents, "", false},
		"the rule retains none any more": {nil, recordOfSource, apiwatch.Modified, consents, "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			client := &patched{behind: behind{cached: rule}}
			f.hub.Client, f.rules.cache = client, client
			rule.Spec.Policy.Retain = test.retain
			rule.Annotations = map[string]string{v1.AnnotationConsentingSource: test.recorded}
			client.cached = rule.DeepCopy()
			p := asked(t, f, rule, test.event, "8", test.annotations)
			p.named().problem.Reason = test.problem
			if test.problem == "" {
				p.named().source = &unstructured.Unstructured{}
			}
			require.NoError(t, p.checkRecord(t.Context()))
			require.NoError(t, p.checkLastConsent(t.Context()))
			assert.Equal(t, test.stays, p.named().consentIsRecorded())
			assert.Equal(t, test.stays, client.patches == 0)
		})
	}
}

func TestWhatASourceConsentsToThatCannotBeRead(t *testing.T) {
	consents, vetoed := map[string]string{v1.AnnotationProjectable: "true"}, map[string]string{v1.AnnotationProjectable: "false"}
	gone := source.ErrNotFound
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", errors.New("no"))
	tests := map[string]struct {
		err         error
		retain      []v1.RetainCause
		recorded    string
		event       apiwatch.EventType
		annotations map[string]string
		may         bool
		waits       bool
	}{
		"deleted, with consent":                         {gone, []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}, recordOfSource, apiwatch.Deleted, consents, true, false},
		"deleted, and that is not retained":             {gone, []v1.RetainCause{v1.RetainRuleDeleted}, recordOfSource, apiwatch.Deleted, consents, false, false},
		"deleted, after an opt-out":                     {gone, []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}, recordOfSource, apiwatch.Deleted, vetoed, false, false},
		"deleted, without a record":                     {gone, []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}, "", apiwatch.Deleted, consents, false, false},
		"deleted, and the record is of another":         {gone, []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}, "ConfigMap/home/x", apiwatch.Deleted, consents, false, false},
		"deleted, and the event is to come":             {gone, []v1.RetainCause{v1.RetainRuleDeleted, v1.RetainSourceGone}, recordOfSource, apiwatch.Modified, consents, false, true},
		"the operator may not read it":                  {forbidden, []v1.RetainCause{v1.RetainRuleDeleted}, recordOfSource, apiwatch.Modified, consents, true, false},
		"the operator may not read it, and was told no": {forbidden, []v1.RetainCause{v1.RetainRuleDeleted}, recordOfSource, apiwatch.Modified, vetoed, false, false},
		"the operator may not read it, and never could": {forbidden, []v1.RetainCause{v1.RetainRuleDeleted}, "", apiwatch.Modified, consents, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, rule := newFixture(t), newRule()
			rule.DeletionTimestamp = &metav1.Time{Time: now}
			rule.Spec.Policy.Retain = test.retain
			rule.Annotations = map[string]string{v1.AnnotationConsentingSource: test.recorded}
			f.hub.Client = &behind{cached: rule}
			client := metadatafake.NewSimpleMetadataClient(metadatafake.NewTestScheme())
			client.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				if errors.Is(test.err, gone) {
					return true, nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "settings")
				}
				return true, nil, test.err
			})
			f.member.Reader = source.NewReader(nil, client)
			p := asked(t, f, rule, test.event, "8", test.annotations)
			p.named().confirmed = ""
			may, err := p.named().newestConsent(t.Context())
			if test.waits {
				require.ErrorIs(t, err, plan.ErrNotRead)
				rule.DeletionTimestamp = &metav1.Time{Time: now.Add(-time.Hour)}
				p.rule.DeletionTimestamp = rule.DeletionTimestamp
				_, err = p.named().newestConsent(t.Context())
				require.NoError(t, err, "the deletion of a rule does not wait for ever")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.may, may(copySet{kind: p.copyKind}, destination.Copy{}))
			if test.may {
				assert.True(t, p.named().mayRetain(t.Context())(copySet{kind: p.copyKind}, destination.Copy{}), "both agree, else the rule waits for ever")
			}
		})
	}
}
