package destination_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/metrics"
)

// observed has the writer note what becomes of objects that are to be adopted.
func (w *fixture) observed() *[]metrics.Adoption {
	var results []metrics.Adoption
	w.set.ObserveAdoption = func(result metrics.Adoption) { results = append(results, result) }
	return &results
}

// TestAdoptionsAreObservedOnce tries twice. Nothing happens in between.
func TestAdoptionsAreObservedOnce(t *testing.T) {
	const claimed = `{"metadata":{"labels":{"app.kubernetes.io/managed-by":"Helm"}}}`
	const twoOwners = `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"a/b","projection.sh/owned-by-cluster-projection":"c"}}}`
	tests := map[string]struct {
		onConflict   v1.ConflictPolicy
		theirs, with string
		want         []metrics.Adoption
	}{
		"identical":           {v1.ConflictAdoptIdentical, "red", `{}`, []metrics.Adoption{metrics.Adopted}},
		"another value":       {v1.ConflictAdoptIdentical, "green", `{}`, []metrics.Adoption{metrics.AdoptionDiffers}},
		"any":                 {v1.ConflictAdopt, "green", `{}`, []metrics.Adoption{metrics.Adopted}},
		"claimed":             {v1.ConflictAdopt, "green", claimed, []metrics.Adoption{metrics.AdoptionRefused}},
		"claimed and equal":   {v1.ConflictAdoptIdentical, "red", claimed, []metrics.Adoption{metrics.AdoptionRefused}},
		"two owners":          {v1.ConflictAdopt, "green", twoOwners, []metrics.Adoption{metrics.AdoptionRefused}},
		"cannot be changed":   {v1.ConflictAdopt, "green", `{"immutable":true}`, []metrics.Adoption{metrics.AdoptionRefused}},
		"is left alone":       {v1.ConflictRefuse, "red", `{}`, nil},
		"left out":            {"", "red", `{}`, nil},
		"is skipped":          {v1.ConflictSkip, "red", `{}`, nil},
		"there is no object":  {v1.ConflictAdopt, "", `{}`, nil},
		"it is being deleted": {v1.ConflictAdopt, "deleted", `{"metadata":{"finalizers":["example.com/hold"]}}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newAdopter(t, test.onConflict)
			results := w.observed()
			if test.theirs != "" {
				w.blocker(test.theirs)
				w.merge(test.with)
			}
			if test.theirs == "deleted" {
				w.delete()
				defer w.merge(`{"metadata":{"finalizers":null}}`)
			}
			w.apply(settings("red"))
			w.apply(settings("red"))
			assert.Equal(t, test.want, *results)
		})
	}
}

// TestEachRefusalOfTheAPIServerIsObserved is about attempts that are made again: nothing is observed of a connection that is lost.
func TestEachRefusalOfTheAPIServerIsObserved(t *testing.T) {
	w, s := newAdopter(t, v1.ConflictAdopt), &senders{}
	w.blocker("green")
	w.asAccount(s, "adopting-"+w.namespace, "create", "patch")
	w.set.OnConflict = v1.ConflictAdopt
	w.allow(operatorSubject("adopting-"+w.namespace), "configmaps", "get")
	results := w.observed()
	assert.Eventually(t, func() bool {
		*results = nil
		w.apply(settings("red"))
		return assert.ObjectsAreEqual([]metrics.Adoption{metrics.AdoptionRefused}, *results)
	}, soon, tick, "the account may not delete")

	w.allow(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, "configmaps", "delete")
	assert.Eventually(t, func() bool {
		*results = nil
		w.apply(settings("red"))
		return assert.ObjectsAreEqual([]metrics.Adoption{metrics.Adopted}, *results)
	}, soon, tick)

	w = newAdopter(t, v1.ConflictAdopt)
	results = w.observed()
	w.blocker("green")
	w.tap.refuse(http.MethodGet)
	w.apply(settings("red"))
	assert.Empty(t, *results)
}
