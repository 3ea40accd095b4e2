package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"shop.example.com/webapp/app"

	"projection.sh/operator/primitives/clusterrole"
	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/deployment"
)

func TestFaultsOfAnAuthorAreReportedByBuild(t *testing.T) {
	twice := deployment.LiftMutation(app.AuthEnv(webApp("shop")))
	for want, build := range map[string]func() error{
		`duplicate mutation name "auth-env": mutation names must be unique within a resource`: func() error {
			_, err := deployment.NewBuilder(rendered(t)).WithMutation(twice, twice).Build()
			return err
		},
		"object name cannot be empty": func() error {
			_, err := configmap.NewBuilder(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop"}}).Build()
			return err
		},
		"cluster-scoped object must not have a namespace": func() error {
			_, err := clusterrole.NewBuilder(&rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "reader"}}).Build()
			return err
		},
		`resource "apps/v1/Deployment/shop/web" reads data "hash" but no earlier resource produces it`: func() error {
			reader, err := deployment.NewBuilder(rendered(t)).WithDataGuard(concepts.NewData[string]("hash")).Build()
			require.NoError(t, err)
			_, err = component.NewComponentBuilder().WithName("web").WithConditionType("Ready").WithResource(reader).Build()
			return err
		},
		"component name must be supplied using WithName\ncondition type cannot be empty": func() error {
			_, err := component.NewComponentBuilder().WithConditionType("").Build()
			return err
		},
	} {
		require.EqualError(t, build(), want)
	}
}
