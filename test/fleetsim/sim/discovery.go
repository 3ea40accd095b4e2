package sim

import (
	"encoding/json"
	"net/http"
	"slices"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// gitVersion is that of the Kubernetes that clusters claim to be.
const gitVersion = "v1.36.3"

// others are the paths that are served besides those of objects.
var others map[string]func(call)

func init() { //nolint:gochecknoinits // the functions use the table
	others = map[string]func(call){
		"version": call.version, "api": call.versions, "apis": call.groups,
		"apis/authorization.k8s.io/v1/selfsubjectaccessreviews": call.reviewAccess,
		"apis/authorization.k8s.io/v1/selfsubjectrulesreviews":  call.reviewRules,
		"apis/authentication.k8s.io/v1/selfsubjectreviews":      call.reviewSubject,
	}
	for _, version := range groupVersions() {
		path := "apis/" + version.String()
		if version.Group == "" {
			path = "api/" + version.Version
		}
		others[path] = func(c call) { c.answer.whole().object(http.StatusOK, resourceList(version)) }
	}
}

// whole returns the answer without the views that only objects have.
func (a answer) whole() answer {
	a.metadata = false
	return a
}

func (c call) version() {
	content, err := json.Marshal(version.Info{Major: "1", Minor: "36", GitVersion: gitVersion, Platform: "linux/amd64"})
	if err != nil {
		c.answer.error(err)
		return
	}
	c.answer.Header().Set("Content-Type", runtime.ContentTypeJSON)
	_, _ = c.answer.Write(content) // the client has gone
}

// reviews are the kinds that are asked and not stored.
var reviews = map[schema.GroupVersion][]metav1.APIResource{
	authorizationv1.SchemeGroupVersion: {
		{Name: "selfsubjectaccessreviews", SingularName: "selfsubjectaccessreview", Kind: "SelfSubjectAccessReview", Verbs: metav1.Verbs{"create"}},
		{Name: "selfsubjectrulesreviews", SingularName: "selfsubjectrulesreview", Kind: "SelfSubjectRulesReview", Verbs: metav1.Verbs{"create"}},
	},
	authenticationv1.SchemeGroupVersion: {
		{Name: "selfsubjectreviews", SingularName: "selfsubjectreview", Kind: "SelfSubjectReview", Verbs: metav1.Verbs{"create"}},
	},
}

// groupVersions returns those that are served, that of the core first.
func groupVersions() []schema.GroupVersion {
	var served []schema.GroupVersion
	for _, k := range kinds {
		served = append(served, k.GroupVersion())
	}
	return slices.Compact(append(served, authorizationv1.SchemeGroupVersion, authenticationv1.SchemeGroupVersion))
}

// resourceList returns the kinds of the version.
func resourceList(of schema.GroupVersion) *metav1.APIResourceList {
	list := &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: of.String(), APIResources: slices.Clone(reviews[of]),
	}
	for _, k := range kinds {
		if k.GroupVersion() == of {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: k.Resource, SingularName: k.singular, Kind: k.kind, Namespaced: k.namespaced, Verbs: verbs, ShortNames: k.shortNames,
			})
		}
	}
	return list
}

func (c call) versions() {
	if c.answer.grouped {
		c.grouped(func(of schema.GroupVersion) bool { return of.Group == "" })
		return
	}
	c.answer.whole().object(http.StatusOK, &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
}

func (c call) groups() {
	isNamed := func(of schema.GroupVersion) bool { return of.Group != "" }
	if c.answer.grouped {
		c.grouped(isNamed)
		return
	}
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}}
	for _, of := range groupVersions() {
		if isNamed(of) {
			served := metav1.GroupVersionForDiscovery{GroupVersion: of.String(), Version: of.Version}
			list.Groups = append(list.Groups, metav1.APIGroup{
				Name: of.Group, Versions: []metav1.GroupVersionForDiscovery{served}, PreferredVersion: served,
			})
		}
	}
	c.answer.whole().object(http.StatusOK, list)
}

// grouped answers with all kinds of the selected versions at once.
func (c call) grouped(wanted func(schema.GroupVersion) bool) {
	list := &apidiscoveryv2.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{APIVersion: apidiscoveryv2.SchemeGroupVersion.String(), Kind: "APIGroupDiscoveryList"},
	}
	for _, of := range groupVersions() {
		if !wanted(of) {
			continue
		}
		served := apidiscoveryv2.APIVersionDiscovery{Version: of.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
		for _, resource := range resourceList(of).APIResources {
			scope := apidiscoveryv2.ScopeCluster
			if resource.Namespaced {
				scope = apidiscoveryv2.ScopeNamespace
			}
			served.Resources = append(served.Resources, apidiscoveryv2.APIResourceDiscovery{
				Resource: resource.Name, ResponseKind: &metav1.GroupVersionKind{Group: of.Group, Version: of.Version, Kind: resource.Kind},
				Scope: scope, SingularResource: resource.SingularName, Verbs: resource.Verbs, ShortNames: resource.ShortNames,
			})
		}
		list.Items = append(list.Items, apidiscoveryv2.APIGroupDiscovery{
			ObjectMeta: metav1.ObjectMeta{Name: of.Group}, Versions: []apidiscoveryv2.APIVersionDiscovery{served},
		})
	}
	content, err := json.Marshal(list)
	if err != nil {
		c.answer.error(err)
		return
	}
	c.answer.Header().Set("Content-Type", runtime.ContentTypeJSON+";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	_, _ = c.answer.Write(content) // the client has gone
}
