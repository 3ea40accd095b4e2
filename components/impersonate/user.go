package impersonate

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
)

// User is in whose name a request is made. The zero value is nobody, in whose name no request is made.
type User struct {
	operator bool
	account  v1.ServiceAccountRef
	name     string // of a user who is no service account of this cluster
}

// Operator returns the operator itself, with its own permissions.
func Operator() User { return User{operator: true} }

// UserOf returns the service account; nil stands for the operator.
func UserOf(account *v1.ServiceAccountRef) User {
	if account == nil {
		return Operator()
	}
	return User{account: *account}
}

// Named returns the user with that name, in a cluster whose administrator knows it.
func Named(name string) User { return User{name: name} }

// IsOperator reports whether the user is the operator itself.
func (u User) IsOperator() bool { return u.operator }

// Name returns the name of a user of another cluster; empty if the user is none.
func (u User) Name() string { return u.name }

// isImpersonated reports whether requests in the name of the user need a header.
func (u User) isImpersonated() bool { return u.IsAccount() || u.name != "" }

// IsAccount reports whether the user is a service account.
func (u User) IsAccount() bool { return u.account != v1.ServiceAccountRef{} }

// Account returns the namespace and name of the service account; zero if the user is none.
func (u User) Account() v1.ServiceAccountRef { return u.account }

// String returns the service account as kubectl takes it: <namespace>:<name>. It is empty if the user is none.
func (u User) String() string {
	if !u.IsAccount() {
		return ""
	}
	return u.account.Namespace + ":" + u.account.Name
}

// Lacks reports whether the error says that the user is a service account and lacks a permission.
func (u User) Lacks(err error) bool {
	var status apierrors.APIStatus
	return u.IsAccount() && apierrors.IsForbidden(err) && errors.As(err, &status) &&
		strings.Contains(status.Status().Message, u.Quoted()+" cannot ")
}

// Quoted returns the service account as the API server names it when it refuses a request.
func (u User) Quoted() string { return `User "` + userPrefix + u.String() + `"` }

// HowToAllow says how to allow the operator to make requests in the name of the service account.
func (u User) HowToAllow() string {
	return "add " + u.account.Name + " to the chart's impersonation.serviceAccounts, or grant the operator impersonate on it"
}

// userPrefix begins the user names of service accounts.
const userPrefix = "system:serviceaccount:"

// userName returns the name by which the API server knows the service account. What cannot be the name of one is an error.
func (u User) userName() (string, error) {
	if u.name != "" {
		return u.name, nil
	}
	wrong := append(validation.IsDNS1123Label(u.account.Namespace), validation.IsDNS1123Subdomain(u.account.Name)...)
	if len(wrong) > 0 {
		return "", &apierr.UnsentError{
			Message: "the namespace or the name of the service account is invalid: " + strings.Join(wrong, "; "), Advice: "correct this rule",
		}
	}
	return userPrefix + u.String(), nil
}

type userKey struct{}

// As returns a context whose requests are made in the name of the user.
func As(ctx context.Context, user User) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// userIn returns the user that the context names; nobody if it names none.
func userIn(ctx context.Context) User {
	user, _ := ctx.Value(userKey{}).(User)
	return user
}
