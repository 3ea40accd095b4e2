package mutations

import "projection.sh/operator/primitives/unstructured"

// revision counts the rollouts of one Deployment; its controller writes it, on a copy too.
const revision = "deployment.kubernetes.io/revision"

// stripDeployment drops the count of rollouts.
func stripDeployment(in Input) unstructured.Mutation {
	return strip(StripDeployment, in, allocated{
		kind:        appsKind("Deployment"),
		annotations: []string{revision, "deprecated.deployment.rollback.to"},
	})
}
