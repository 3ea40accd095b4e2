package forecast

import (
	"context"
	"encoding/json"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// Size is how large the copies of a rule are.
type Size struct {
	// Sources are how many sources have copies, and Bytes how large the copies of all of them are in one namespace.
	Sources, Bytes int
	// Unknown says what keeps the size from being known; empty: nothing.
	Unknown string
}

// SizeOf returns how large the copies of the rule are: as JSON, as they are applied in the first namespace that has one.
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
		bytes, failed, err := f.sizeOf(ctx, rule, spec)
		if err != nil {
			return size, err
		}
		if size.Unknown = unknownIn(valueOf(failed)); size.Unknown != "" {
			return size, nil
		}
		if bytes > 0 {
			size.Sources++
			size.Bytes += bytes
		}
	}
	return size, nil
}

func unknownIn(verdict Verdict) string {
	if verdict.State == Unknown {
		return verdict.Message
	}
	return ""
}

// sizeOf returns how large a copy of the source is that the spec names; 0: there is none.
func (f *Forecaster) sizeOf(ctx context.Context, rule access.Rule, spec owner.Spec) (bytes int, failed *Verdict, err error) {
	wanted, failed, err := f.want(ctx, rule, spec)
	if err != nil || failed != nil {
		return 0, failed, err
	}
	kind, err := f.CopyKind(ctx, spec, wanted.Kind)
	if err != nil {
		return 0, nil, err
	}
	for _, target := range wanted.Targets {
		desired, blocked := f.desire(kind, target)
		if blocked != nil {
			continue
		}
		object, err := wish{desired: desired}.object()
		if err != nil { // no copy results in this namespace
			continue
		}
		encoded, err := json.Marshal(object.Object)
		return len(encoded), nil, err
	}
	return 0, nil, nil
}
