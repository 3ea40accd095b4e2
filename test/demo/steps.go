package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/watch"
)

func (s *story) source(ctx context.Context) error {
	heading("A platform team opts its ConfigMap in: others can have copies of it")
	return s.types(ctx,
		"kubectl apply --server-side -f config/samples/1-source.yaml",
		"kubectl -n platform get configmap app-config -o jsonpath='{.metadata.annotations}{\"\\n\"}{.data}'",
	)
}

func (s *story) projection(ctx context.Context) error {
	heading("A tenant wants a copy in its own namespace, with another name and one more label")
	err := s.types(ctx,
		"cat config/samples/2-projection.yaml",
		"kubectl apply --server-side -f config/samples/2-projection.yaml",
		"kubectl -n tenant-a wait --for=condition=Ready projection/app-config --timeout=30s",
		"kubectl -n tenant-a get projections",
	)
	if err != nil {
		return err
	}
	if _, err := s.seen.next(ctx, watch.Added, "tenant-a", "shared-config"); err != nil {
		return err
	}
	heading("The copy")
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config -o yaml")
}

func (s *story) edit(ctx context.Context) error {
	heading("The source is edited: the copy is updated")
	err := s.types(ctx, `kubectl -n platform patch configmap app-config --type=merge -p '{"data":{"log-level":"debug"}}'`)
	if err != nil {
		return err
	}
	edited, err := s.seen.next(ctx, watch.Modified, "platform", "app-config")
	if err != nil {
		return err
	}
	updated, err := s.logLevel(ctx, "debug")
	if err != nil {
		return err
	}
	tellDelay("The copy was updated", edited, updated)
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config -o jsonpath='{.data}'")
}

func (s *story) drift(ctx context.Context) error {
	heading("Somebody edits the copy: it is repaired")
	err := s.types(ctx, `kubectl -n tenant-a patch configmap shared-config --type=merge -p '{"data":{"log-level":"trace"}}'`)
	if err != nil {
		return err
	}
	edited, err := s.logLevel(ctx, "trace")
	if err != nil {
		return err
	}
	repaired, err := s.logLevel(ctx, "debug")
	if err != nil {
		return err
	}
	tellDelay("The copy was repaired", edited, repaired)
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config -o jsonpath='{.data}'")
}

// logLevel returns the next change of the copy, which has to set the level.
func (s *story) logLevel(ctx context.Context, level string) (sighting, error) {
	changed, err := s.seen.next(ctx, watch.Modified, "tenant-a", "shared-config")
	if err == nil && changed.object.Data["log-level"] != level {
		err = fmt.Errorf("the copy has log-level %q, not %s", changed.object.Data["log-level"], level)
	}
	return changed, err
}

func (s *story) deletedCopy(ctx context.Context) error {
	heading("Somebody deletes the copy: it is created again")
	if err := s.types(ctx, "kubectl -n tenant-a delete configmap shared-config"); err != nil {
		return err
	}
	deleted, err := s.seen.next(ctx, watch.Deleted, "tenant-a", "shared-config")
	if err != nil {
		return err
	}
	back, err := s.seen.next(ctx, watch.Added, "tenant-a", "shared-config")
	if err != nil {
		return err
	}
	tellDelay("The copy was created again", deleted, back)
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config")
}

func (s *story) foreignObject(ctx context.Context) error {
	heading("A copy would overwrite an object that somebody else created: it is not written")
	if err := s.types(ctx, "kubectl apply --server-side -f config/samples/3-foreign-object.yaml"); err != nil {
		return err
	}
	const whole = "kubectl -n tenant-a get configmap handmade -o yaml --show-managed-fields"
	before, err := s.shell.ask(ctx, whole)
	if err != nil {
		return err
	}
	err = s.types(ctx,
		"kubectl apply --server-side -f config/samples/4-conflict.yaml",
		"kubectl -n tenant-a wait --for=condition=Stalled projection/handmade --timeout=30s",
		"kubectl -n tenant-a get projections",
		`kubectl -n tenant-a get projection handmade -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`,
		"kubectl -n tenant-a get configmap handmade -o jsonpath='{.data}'",
	)
	if err != nil {
		return err
	}
	after, err := s.shell.ask(ctx, whole)
	if err != nil {
		return err
	}
	if before != after {
		return fmt.Errorf("the object of somebody else was changed:\n%s\nwas:\n%s", after, before)
	}
	tell("Not a byte of that object has changed, its resourceVersion included.")
	return nil
}

func (s *story) manyNamespaces(ctx context.Context) error {
	heading("The platform team copies a Secret into every namespace with the label team=web")
	return s.types(ctx,
		"kubectl apply --server-side -f config/samples/5-shared-secret.yaml",
		"kubectl create namespace web-1",
		"kubectl label namespace web-1 team=web",
		"kubectl -n web-1 wait --for=create secret/registry --timeout=30s",
		"kubectl wait --for=jsonpath='{.status.namespacesWritten}'=1 clusterprojection/registry --timeout=30s",
		"kubectl get clusterprojections",
	)
}

func (s *story) end(ctx context.Context) error {
	heading("The tenant deletes its Projection: the copy is deleted, the source stays")
	if err := s.types(ctx, "kubectl -n tenant-a delete projection app-config"); err != nil {
		return err
	}
	if _, err := s.seen.next(ctx, watch.Deleted, "tenant-a", "shared-config"); err != nil {
		return err
	}
	return s.types(ctx, "kubectl -n tenant-a get configmaps", "kubectl -n platform get configmap app-config")
}
