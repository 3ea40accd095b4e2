package forecast

import (
	"context"
	"encoding/json"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// Size is how large the copies of a rule are.
type Size struct {
	// Copies are how many copies the rule wants of all its sources, in all namespaces, and Bytes how large these are.
	Copies, Bytes int
	// Unknown says what keeps the size from being known; empty: nothing.
	Unknown string
}

// SizeOf returns how large the copies of the rule are: as JSON, each as it is applied in the first namespace that has a copy of its source.
func (f *Forecaster) SizeOf(ctx context.Context, rule access.Rule) (size Size, err error) {
	specs, err := f.Sources(ctx, rule)
	if failed, problem := problemOf(err); problem {
		size.Unknown = unknownIn(failed)
		return size, nil
	}
	if err != nil {
		return size, err
	}
	for _, spec := range specs {
		ofSource, failed, err := f.sizeOf(ctx, rule, spec)
		if err != nil {
			return size, err
		}
		if unknown := unknownIn(valueOf(failed)); unknown != "" {
			return Size{Unknown: unknown}, nil
		}
		size.Copies += ofSource.Copies
		size.Bytes += ofSource.Bytes
	}
	return size, nil
}

func unknownIn(verdict Verdict) string {
	if verdict.State == Unknown {
		return verdict.Message
	}
	return ""
}

// sizeOf returns how large the copies of the source are that the spec names.
func (f *Forecaster) sizeOf(ctx context.Context, rule access.Rule, spec owner.Spec) (size Size, failed *Verdict, err error) {
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		return Size{}, failed, err
	}
	kind, err := f.CopyKind(ctx, spec, wanted.Kind)
	if err != nil {
		return Size{}, nil, err
	}
	for _, target := range wanted.Targets {
		desired, blocked := f.desire(spec, kind, target)
		if blocked != nil {
			continue
		}
		object, err := (&wish{desired: desired}).object()
		if err != nil { // no copy results in this namespace
			continue
		}
		encoded, err := json.Marshal(object.Object)
		copies := len(wanted.Targets)
		return Size{Copies: copies, Bytes: copies * len(encoded)}, nil, err
	}
	return Size{}, nil, nil
}
