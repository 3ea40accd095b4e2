package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

func TestEachCodeHasASection(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "reference", "findings.md"))
	require.NoError(t, err)
	sections := map[string]severity{}
	for _, match := range regexp.MustCompile(`(?m)^## (PR\d+)\n\n(Error|Warning)\.`).FindAllSubmatch(page, -1) {
		sections[string(match[1])] = map[string]severity{"Error": isError, "Warning": isWarning}[string(match[2])]
	}
	assert.Equal(t, codes, sections)
}

func TestWhetherALeaseIsHeld(t *testing.T) {
	now := time.Unix(1000, 0)
	held := func(by string, ago time.Duration) coordinationv1.LeaseSpec {
		renewed := metav1.NewMicroTime(now.Add(-ago))
		return coordinationv1.LeaseSpec{HolderIdentity: &by, RenewTime: &renewed, LeaseDurationSeconds: new(int32(15))}
	}
	tests := map[string]struct {
		lease coordinationv1.LeaseSpec
		held  bool
	}{
		"nobody has held it":         {},
		"somebody holds it":          {held("a", time.Second), true},
		"the leader has given it up": {held("", time.Second), false},
		"the leader renews it not":   {held("a", time.Minute), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.held, isHeld(test.lease, now)) })
	}
}

func TestFindingsAboutTheOperator(t *testing.T) {
	tests := map[string]struct {
		settings access.Settings
		version  string
		codes    []string
		unknown  int
	}{
		"as it should be":    {settings: access.Settings{Known: true, Version: "v1"}, version: "v1"},
		"not known":          {unknown: 1},
		"of another version": {settings: access.Settings{Known: true, Version: "v2"}, version: "v1", codes: []string{codeVersion}},
		"without a version":  {settings: access.Settings{Known: true, Version: "v2"}, version: "unknown"},
		"permissive":         {settings: access.Settings{Known: true, Mode: policy.Permissive}, codes: []string{codePermissive}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found := &findings{}
			found.checkOperator(test.settings, test.version)
			assert.Equal(t, test.codes, codesOf(found))
			assert.Len(t, found.Unknown, test.unknown)
		})
	}
}

func codesOf(found *findings) (codes []string) {
	for _, one := range found.Findings {
		codes = append(codes, one.Code)
	}
	return codes
}

func TestFindingsAboutARule(t *testing.T) {
	retained := owner.Spec{Source: v1.SourceRef{Kind: "Secret"}, Policy: v1.Policy{Retain: []v1.RetainCause{v1.RetainRuleDeleted}}}
	tests := map[string]struct {
		spec  owner.Spec
		info  ruleInfo
		codes []string
	}{
		"ready":                  {info: ruleInfo{Ready: "True", Reason: v1.ReasonProjected}},
		"not ready":              {info: ruleInfo{Ready: "False", Reason: v1.ReasonDestinationConflict}, codes: []string{codeNotReady}},
		"not reported":           {info: ruleInfo{Ready: "Unknown"}, codes: []string{codeUnreported}},
		"not served":             {info: ruleInfo{Ready: "Unknown", NotServed: true}, codes: []string{codeNotServed}},
		"being deleted":          {info: ruleInfo{Ready: "False", Deleted: true}, codes: []string{codeDeleted}},
		"suspended":              {spec: owner.Spec{Suspended: true}, info: ruleInfo{Ready: "False"}, codes: []string{codeSuspended}},
		"no namespace":           {info: ruleInfo{Ready: "True", Reason: v1.ReasonNoMatchingNamespaces}, codes: []string{codeNoNamespace}},
		"with a retained Secret": {spec: retained, info: ruleInfo{Ready: "True"}, codes: []string{codeRetained}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found := &findings{}
			found.checkRule(access.Rule{Spec: test.spec}, test.info)
			assert.Equal(t, test.codes, codesOf(found))
			ignoring := &findings{ignored: slices.Collect(maps.Keys(codes))}
			ignoring.checkRule(access.Rule{Spec: test.spec}, test.info)
			assert.Empty(t, ignoring.Findings)
			assert.Zero(t, ignoring.Errors+ignoring.Warnings)
		})
	}
}
