package main

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
)

//go:embed scene.yaml
var scene string

// reasons are what the rules are ready, or not ready, for in the end.
var reasons = map[string]string{
	"tenant-a/settings":    v1.ReasonProjected,
	"tenant-a/credentials": v1.ReasonProjected,
	"tenant-a/service":     v1.ReasonProjected,
	"tenant-a/deployment":  v1.ReasonProjected,
	"tenant-a/widget":      v1.ReasonProjected,
	"tenant-a/short-lived": v1.ReasonSourceDeleted,
	"tenant-a/withdrawn":   v1.ReasonSourceOptedOut,
	"tenant-a/early":       v1.ReasonSourceNotFound,
	"tenant-a/unserved":    v1.ReasonSourceResolutionFailed,
	"tenant-a/blocked":     v1.ReasonDestinationConflict,
	"tenant-a/handed-over": v1.ReasonDestinationConflict,
	"tenant-b/changed":     v1.ReasonProjected,
	"tenant-b/chosen":      v1.ReasonProjected,
	"tenant-b/as-secret":   v1.ReasonProjected,
	"tenant-b/published":   v1.ReasonProjected,
	"/replicas":            v1.ReasonProjected,
	"/by-label":            v1.ReasonProjected,
	"/by-list":             v1.ReasonDestinationCreateFailed,
	"/everywhere":          v1.ReasonDestinationConflict,
	"/nowhere":             v1.ReasonNoMatchingNamespaces,
}

// before are the reasons that changes lead away from.
var before = map[string]string{
	"tenant-a/short-lived": v1.ReasonProjected,
	"tenant-a/withdrawn":   v1.ReasonProjected,
	"tenant-a/handed-over": v1.ReasonProjected,
}

// changes are what people do once the rules have been served: patches of objects. An empty one deletes.
var changes = []struct{ kind, at, patch string }{
	{"ConfigMap", "platform/short-lived", ""},
	{"ConfigMap", "platform/withdrawn", `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`},
	{"ConfigMap", "tenant-a/handed-over", `{"metadata":{"annotations":{"projection.sh/owned-by-projection":null}}}`},
	{"ConfigMap", "platform/settings", `{"data":{"color":"blue","size":null,"shape":"round"}}`},
	{"ConfigMap", "tenant-b/settings", `{"metadata":{"labels":{"example.com/theirs":"1"}},"data":{"theirs":"1"}}`},
	{"ConfigMap", "tenant-a/settings", `{"data":{"color":"green"}}`}, // is put right
	{"Deployment", "tenant-a/web", `{"metadata":{"annotations":{"example.com/theirs":"1"}},"spec":{"revisionHistoryLimit":3}}`},
	{"Deployment", "tenant-b/web", `{"spec":{"replicas":2}}`}, // is not copied
	{"Namespace", "/tenant-c", `{"metadata":{"labels":{"tier":null}}}`},
	{"Projection", "tenant-b/changed", `{"spec":{"source":{"kind":"Secret","name":"credentials"},"destination":{"name":"second"}}}`},
}

// play makes the scene, and changes it as people would.
func play(ctx context.Context, c client.Client) error {
	for document := range strings.SplitSeq(scene, "---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return err
		}
		if err := c.Create(ctx, object, client.FieldOwner("people")); err != nil {
			return fmt.Errorf("create %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	first := map[string]string{}
	for at, reason := range reasons {
		first[at] = reason
		if earlier, changes := before[at]; changes {
			first[at] = earlier
		}
	}
	if err := until(ctx, c, first); err != nil {
		return err
	}
	for _, change := range changes {
		object := &unstructured.Unstructured{}
		object.SetKind(change.kind)
		object.SetAPIVersion(map[string]string{"Projection": v1.GroupVersion.String(), "Deployment": "apps/v1"}[change.kind])
		if object.GetAPIVersion() == "" {
			object.SetAPIVersion("v1")
		}
		namespace, name, _ := strings.Cut(change.at, "/")
		object.SetNamespace(namespace)
		object.SetName(name)
		do := func() error {
			return c.Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(change.patch)), client.FieldOwner("people"))
		}
		if change.patch == "" {
			do = func() error { return c.Delete(ctx, object) }
		}
		if err := do(); err != nil {
			return fmt.Errorf("change %s %s: %w", change.kind, change.at, err)
		}
	}
	return until(ctx, c, reasons)
}

// until waits until the rules are ready, or not, for the reasons.
func until(ctx context.Context, c client.Client, reasons map[string]string) error {
	var said map[string]string
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		var err error
		if said, err = ready(ctx, c); err != nil {
			return false, err
		}
		for at, reason := range reasons {
			if said[at] != reason {
				return false, nil
			}
		}
		return len(said) == len(reasons), nil
	})
	if err != nil {
		return fmt.Errorf("the rules are not as they are to be: %w\nwanted: %v\nfound:  %v", err, reasons, said)
	}
	return nil
}

// ready returns the reasons of the conditions Ready, of rules that were observed as they are.
func ready(ctx context.Context, c client.Client) (map[string]string, error) {
	said := map[string]string{}
	var rules v1.ProjectionList
	var clusterRules v1.ClusterProjectionList
	for _, list := range []client.ObjectList{&rules, &clusterRules} {
		if err := c.List(ctx, list); err != nil {
			return nil, err
		}
	}
	note := func(rule metav1.Object, status *v1.CommonStatus) {
		said[rule.GetNamespace()+"/"+rule.GetName()] = ""
		if found := meta.FindStatusCondition(status.Conditions, v1.ConditionReady); found != nil && found.ObservedGeneration == rule.GetGeneration() {
			said[rule.GetNamespace()+"/"+rule.GetName()] = found.Reason
		}
	}
	for i := range rules.Items {
		note(&rules.Items[i], rules.Items[i].GetCommonStatus())
	}
	for i := range clusterRules.Items {
		note(&clusterRules.Items[i], clusterRules.Items[i].GetCommonStatus())
	}
	return said, nil
}
