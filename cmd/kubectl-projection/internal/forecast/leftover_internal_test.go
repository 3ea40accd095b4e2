package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

func TestWhatBecomesOfACopyThatIsNotWanted(t *testing.T) {
	const source = "ConfigMap/platform/app-config"
	named := v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "app-config"}
	selecting := v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Selector: &v1.SourceSelector{}}
	missing := refused(v1.ReasonSourceNotFound, "there is no source", "")
	optedOut := refused(v1.ReasonSourceOptedOut, "the owner has opted out", "")
	invalid := refused(v1.ReasonRuleInvalid, "the rule is not valid", "")
	invalid.keepsCopies = true
	incomplete := refused(v1.ReasonSourceNotFound, "a layer is missing", "")
	incomplete.keepsCopies, incomplete.endsDropped = true, true
	targetDropped, sourceGone := []v1.RetainCause{v1.RetainTargetDropped}, []v1.RetainCause{v1.RetainSourceGone}
	both := []v1.RetainCause{v1.RetainSourceGone, v1.RetainTargetDropped}
	unread := unknown("you may not read the source")
	tests := map[string]struct {
		source             v1.SourceRef
		refused            *Verdict
		retain             []v1.RetainCause
		ofAnother, dropped bool
		stuck, isSingle    bool
		record, layers     string
		isHiding           bool
		consent            consent
		hiddenSettings     bool
		action             Action
	}{
		"the copy has another name now":                                      {action: Delete},
		"the copy that replaces it cannot be written":                        {stuck: true, action: Keep},
		"the namespace is no target":                                         {dropped: true, action: Delete},
		"the namespace is no target, which the rule retains":                 {dropped: true, retain: targetDropped, action: Release},
		"of another source, where the namespace is no target":                {dropped: true, ofAnother: true, retain: targetDropped, action: Delete},
		"the source is absent":                                               {refused: &missing, action: Delete},
		"the source is absent, which the rule retains":                       {refused: &missing, retain: sourceGone, record: source, action: Keep},
		"the source is absent, and its owner is not known to have consented": {refused: &missing, retain: sourceGone, action: Delete},
		"the source is absent, and the record has several":                   {refused: &missing, retain: sourceGone, record: "hashes", action: Undecided},
		"the namespace is no target, and the owner does not permit it":       {dropped: true, consent: denied, retain: targetDropped, action: Delete},
		"the namespace is no target, and what the owner permits is hidden":   {dropped: true, consent: hidden, retain: targetDropped, action: Undecided},
		"the owner does not permit the namespace":                            {consent: denied, action: Delete},
		"the operator may exclude the namespace":                             {dropped: true, hiddenSettings: true, action: Undecided},
		"the source is absent, and the namespace is no target":               {refused: &missing, dropped: true, retain: sourceGone, action: Delete},
		"both, which the rule retains":                                       {refused: &missing, dropped: true, retain: both, record: source, action: Release},
		"both, and the owner is not known to have consented":                 {refused: &missing, dropped: true, retain: both, action: Delete},
		"of another source than the one that is absent":                      {refused: &missing, ofAnother: true, retain: sourceGone, action: Delete},
		"the owner has opted out":                                            {refused: &optedOut, dropped: true, retain: targetDropped, action: Delete},
		"the rule cannot be carried out":                                     {refused: &invalid, dropped: true, action: Keep},
		"the rule cannot be carried out with another source":                 {refused: &invalid, isSingle: true, ofAnother: true, action: Keep},
		"the rule cannot be carried out, and merges its source no more":      {refused: &invalid, ofAnother: true, action: Undecided},
		"what replaces it cannot be written, and is of another source":       {stuck: true, isSingle: true, ofAnother: true, action: Keep},
		"what replaces it cannot be written, and does not merge its source":  {stuck: true, ofAnother: true, action: Delete},
		"what replaces it cannot be written, and does not merge its layer":   {stuck: true, layers: "Secret/platform/other", action: Delete},
		"a layer is missing":                                                 {refused: &incomplete, action: Keep},
		"a layer is missing, and the namespace is no target":                 {refused: &incomplete, dropped: true, action: Delete},
		"a layer is missing, which hides who consents":                       {refused: &incomplete, dropped: true, retain: targetDropped, action: Undecided},
		"with a layer":                                                  {layers: "Secret/platform/merged", dropped: true, retain: targetDropped, action: Release},
		"with a layer that others name":                                 {layers: "Secret/platform/merged", isHiding: true, dropped: true, retain: targetDropped, action: Delete},
		"with what the rule does not merge":                             {layers: "Secret/platform/other", dropped: true, retain: targetDropped, action: Delete},
		"with what the rule may have selected":                          {layers: "ConfigMap/selected/x", dropped: true, retain: targetDropped, action: Undecided},
		"the source cannot be read":                                     {refused: &unread, action: Undecided},
		"its source is not selected":                                    {source: selecting, ofAnother: true, action: Delete},
		"its source is not selected, which the rule retains":            {source: selecting, ofAnother: true, retain: sourceGone, action: Undecided},
		"a copy of another selected source cannot be written":           {source: selecting, ofAnother: true, stuck: true, action: Delete},
		"the copy of the selected source that replaces it is not there": {source: selecting, stuck: true, action: Keep},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := owner.Spec{Source: named, Policy: v1.Policy{Retain: test.retain}}
			spec.Merge.Layers = []v1.LayerSpec{
				{Source: v1.SourceRef{Kind: "Secret", Namespace: "platform", Name: "merged"}},
				{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "selected", Name: v1.SelectedName, Selector: &v1.SourceSelector{}}},
			}
			if test.isSingle {
				spec.Merge.Layers = nil
			}
			if test.source.Selector != nil {
				spec.Source = test.source
			}
			before := &v1.ClusterProjection{}
			before.SetAnnotations(map[string]string{v1.AnnotationConsentingSource: test.record})
			left := newLeftovers(access.Rule{Spec: spec}, &access.Rule{Object: before})
			left.isDropped = func(string) bool { return test.dropped }
			left.whyDropped = func(string) Verdict { return Verdict{State: NotTarget, Message: "no target"} }
			if test.hiddenSettings {
				left.whyDropped = func(string) Verdict { return unknown("the settings are not known") }
			}
			left.permits = func(policy.Permission, string) consent { return test.consent }
			left.add(Branch{Source: SourceOf(named), Refused: test.refused})
			if test.stuck {
				left.planned(Change{Action: Refuse, Namespace: "web-1", Source: new(SourceOf(named))})
			}
			found := place{source: source}
			if test.layers != "" {
				found.state.Content, found.state.HidesLayers = "1-m "+source+" "+test.layers, test.isHiding
			}
			if test.ofAnother {
				found.source = "ConfigMap/platform/other"
			}
			change := left.end(types.NamespacedName{Namespace: "web-1", Name: "copy"}, found)
			assert.Equal(t, test.action, change.Action)
			assert.NotEmpty(t, change.Message)
		})
	}
}

func TestCopyThatTheOwnerDoesNotPermitIsNotWanted(t *testing.T) {
	left := newLeftovers(access.Rule{}, nil)
	at := &Object{Kind: "ConfigMap", Namespace: "web-1", Name: "copy"}
	left.planned(Change{Action: Refuse, Reason: v1.ReasonDestinationNotPermitted, Copy: at, Source: &Object{}})
	assert.Empty(t, left.places)
	left.planned(Change{Action: Unchanged, Copy: at, Source: &Object{}})
	assert.Equal(t, map[types.NamespacedName]bool{{Namespace: "web-1", Name: "copy"}: true}, left.places)
	assert.Empty(t, left.stuck)
}
