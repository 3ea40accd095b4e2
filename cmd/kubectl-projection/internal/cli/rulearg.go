package cli

import (
	"context"
	"fmt"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// ruleIn returns the rule that the arguments name, and what a command needs that asks about it in the namespace.
func (o *options) ruleIn(ctx context.Context, args []string) (inquiry, access.Rule, error) {
	namespace, err := o.namespace()
	if err != nil {
		return inquiry{}, access.Rule{}, err
	}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return inquiry{}, access.Rule{}, err
	}
	object, err := parseObject(cluster.Mapper, args)
	if err != nil {
		return inquiry{}, access.Rule{}, err
	}
	kind, isRule := object.ruleKind()
	if !isRule {
		return inquiry{}, access.Rule{}, fmt.Errorf("a %s is no rule: kubectl projection why says which rules copy it", object.kind.Kind)
	}
	rule, err := cluster.Rule(ctx, kind, namespace, object.name)
	return inquiry{cluster, settings, namespace}, rule, err
}
