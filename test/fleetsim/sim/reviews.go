package sim

import (
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// reviewAccess says that everything is allowed.
func (c call) reviewAccess() {
	c.review(&authorizationv1.SelfSubjectAccessReview{}, func(asked runtime.Object) {
		if review, ok := asked.(*authorizationv1.SelfSubjectAccessReview); ok {
			review.Status.Allowed = true
		}
	})
}

// reviewRules says that everything is allowed.
func (c call) reviewRules() {
	c.review(&authorizationv1.SelfSubjectRulesReview{}, func(asked runtime.Object) {
		if review, ok := asked.(*authorizationv1.SelfSubjectRulesReview); ok {
			all := []string{"*"}
			review.Status.ResourceRules = []authorizationv1.ResourceRule{{Verbs: all, APIGroups: all, Resources: all}}
			review.Status.NonResourceRules = []authorizationv1.NonResourceRule{{Verbs: all, NonResourceURLs: all}}
		}
	})
}

// reviewSubject says who the client is.
func (c call) reviewSubject() {
	c.review(&authenticationv1.SelfSubjectReview{}, func(asked runtime.Object) {
		if review, ok := asked.(*authenticationv1.SelfSubjectReview); ok {
			review.Status.UserInfo.Username = "client"
		}
	})
}

// review answers with what is asked, once it is completed.
func (c call) review(into runtime.Object, complete func(runtime.Object)) {
	content, err := c.body()
	if err != nil {
		c.answer.error(err)
		return
	}
	versions, _, err := scheme.Scheme.ObjectKinds(into)
	if err != nil {
		c.answer.error(err)
		return
	}
	asked, _, err := scheme.Codecs.UniversalDeserializer().Decode(content, &versions[0], into)
	if err != nil {
		c.answer.error(apierrors.NewBadRequest(err.Error()))
		return
	}
	complete(asked)
	asked.GetObjectKind().SetGroupVersionKind(versions[0])
	c.answer.whole().object(http.StatusCreated, asked)
}
