package source

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// served returns what an API server serves with these kinds, by group. It has all kinds in version v1.
func served(groups ...metav1.APIResourceList) *servedAPI {
	api := &servedAPI{resources: map[schema.GroupVersion]*metav1.APIResourceList{}}
	for i := range groups {
		version := metav1.GroupVersionForDiscovery{GroupVersion: groups[i].GroupVersion, Version: "v1"}
		parsed, _ := schema.ParseGroupVersion(groups[i].GroupVersion)
		api.groups = append(api.groups, &metav1.APIGroup{Name: parsed.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
		api.resources[parsed] = &groups[i]
	}
	return api
}

func of(version string, kinds ...string) metav1.APIResourceList {
	list := metav1.APIResourceList{GroupVersion: version}
	for _, kind := range kinds {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: kind, Kind: kind, Namespaced: true})
	}
	return list
}

func TestKindThatIsNotServedSuggestsASimilarOne(t *testing.T) {
	scoped := of("example.org/v1", "Cluster")
	scoped.APIResources[0].Namespaced = false
	sub := of("example.net/v1", "Scale")
	sub.APIResources[0].Name = "things/scale"
	api := served(of("v1", "ConfigMap", "Secret", "Service"), of("apps/v1", "Deployment", "StatefulSet"),
		of("networking.k8s.io/v1", "Ingress", "NetworkPolicy"), of("knative.example.com/v1", "Certificate", "Service"), scoped, sub)
	tests := map[string]struct {
		group, kind string
		want        string
	}{
		"no group":                            {"", "Deployment", "did you mean source.group: apps?"},
		"the wrong group":                     {"apps", "Ingress", "did you mean source.group: networking.k8s.io?"},
		"a group that the kind has not":       {"apps", "ConfigMap", "did you mean no source.group?"},
		"a misspelled kind":                   {"", "ConfgMap", "did you mean source.kind: ConfigMap?"},
		"a plural":                            {"", "Secrets", "did you mean source.kind: Secret?"},
		"other letters":                       {"apps", "Statefulset", "did you mean source.kind: StatefulSet?"},
		"a misspelled kind without its group": {"", "Deploymnt", "did you mean source.kind: Deployment and source.group: apps?"},
		"a misspelled group":                  {"app", "Deployment", "did you mean source.group: apps?"},
		"the beginning of a group":            {"networking", "Ingress", "did you mean source.group: networking.k8s.io?"},
		"two mistakes":                        {"app", "Deploymnt", "did you mean source.kind: Deployment and source.group: apps?"},
		"a group that is not installed":       {"cert-manager.io", "Certificate", ""},
		"a cluster-scoped kind":               {"", "Cluster", ""},
		"a subresource":                       {"apps", "Scale", ""},
		"a kind that is not installed":        {"", "Widget", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wanted := schema.GroupVersionKind{Group: test.group, Kind: test.kind}
			assert.Equal(t, test.want, api.suggest(wanted))
			_, _, err := api.find(wanted)
			assert.ErrorContains(t, err, test.want, "it is part of the message")
		})
	}
}

func TestEditDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"", "abc"}: 3, {"abc", ""}: 3, {"abc", "ABC"}: 0, {"kitten", "sitting"}: 3, {"Secrets", "Secret"}: 1, {"ab", "ba"}: 2,
	} {
		assert.Equal(t, want, editDistance(pair[0], pair[1]), "%v", pair)
	}
}
