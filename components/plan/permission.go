package plan

import (
	"context"

	"projection.sh/operator/components/policy"
)

// notKnown says of a namespace that it cannot be decided yet whether the owner of the source permits a copy there.
const notKnown = "the labels of the namespace are not known yet, and the owner of the source permits copies by labels; the copy follows when they are known"

// permit leaves out the targets that a rule selects and that the owner of the source does not permit, and counts them. A target that the rule
// names stays, and is not permitted. So does one whose namespace does not exist: it is not known what labels it will have.
func (p *Planner[O]) permit(ctx context.Context, targets []Target, permission policy.Permission) (Copies, error) {
	if !permission.IsLimited() {
		return Copies{Targets: targets}, nil
	}
	copies, refusal := Copies{Targets: make([]Target, 0, len(targets))}, permission.Refusal()
	for _, target := range targets {
		permits, known, err := p.Permits(ctx, permission, target.Namespace)
		switch {
		case err != nil:
			return Copies{}, err
		case target.Blocked != "" || known && permits:
		case !known:
			target.Blocked = notKnown
		case target.Selected:
			copies.Skipped++
			copies.Refusal = refusal
			continue
		default:
			target.NotPermitted = refusal
		}
		copies.Targets = append(copies.Targets, target)
	}
	return copies, nil
}

// Permits reports whether the permission permits copies in the namespace, and whether that is known.
func (p *Planner[O]) Permits(ctx context.Context, permission policy.Permission, namespace string) (permits, known bool, err error) {
	if !permission.IsLimited() {
		return true, true, nil
	}
	labels, known, err := p.NamespaceLabels(ctx, namespace)
	return known && permission.Permits(labels), known, err
}
