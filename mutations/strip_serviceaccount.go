package mutations

import (
	"regexp"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/unstructured"
)

// generatedPullSecret matches the pull secret that OpenShift makes for each ServiceAccount.
var generatedPullSecret = regexp.MustCompile(`-dockercfg-[a-z0-9]{5}$`)

// stripServiceAccount drops the tokens of the account, and the pull secrets that OpenShift generated for it.
func stripServiceAccount(in Input) unstructured.Mutation {
	return strip(StripServiceAccount, in, allocated{
		kind:        schema.GroupKind{Kind: "ServiceAccount"},
		annotations: []string{"openshift.io/internal-registry-pull-secret-ref"},
		fields:      [][]string{{"secrets"}},
		further: func(content map[string]any) {
			removeItems(content, "imagePullSecrets", func(reference map[string]any) bool {
				return generatedPullSecret.MatchString(text(reference, "name"))
			})
		},
	})
}
