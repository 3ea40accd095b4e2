package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// cleanUpTimeout bounds what a trial does after its context has ended.
const cleanUpTimeout = 30 * time.Second

// Trial has the operator copy a ConfigMap and delete the copy again, all in one namespace.
type Trial struct {
	Client          client.Client
	Namespace, Name string          // of the rule; the names of the source and of the copy begin alike
	Selector        labels.Selector // of the rules that the operator reconciles
}

// Run returns an error if the operator does not do that before the context ends. It leaves nothing behind.
func (t Trial) Run(ctx context.Context) (err error) {
	set, err := matching(t.Selector)
	if err != nil {
		return err
	}
	at := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: t.Namespace, Name: t.Name + name}
	}
	source := &corev1.ConfigMap{ObjectMeta: at("-source"), Data: map[string]string{"written": time.Now().UTC().Format(time.RFC3339Nano)}}
	source.Annotations = map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue}
	rule := &v1.Projection{ObjectMeta: at(""), Spec: v1.ProjectionSpec{
		Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: t.Namespace, Name: source.Name},
		Destination: v1.ProjectionDestination{Name: t.Name + "-copy"},
	}}
	rule.Labels = set
	var created []client.Object
	defer func() {
		for _, object := range slices.Backward(created) {
			if failed := t.remove(ctx, object); err == nil {
				err = failed
			}
		}
	}()
	for _, object := range []client.Object{source, rule} {
		if err := t.Client.Create(ctx, object); err != nil {
			return fmt.Errorf("create what the trial needs: %w", err)
		}
		created = append(created, object)
	}
	if err := t.copied(ctx, rule, source); err != nil {
		return err
	}
	return t.deleted(ctx, rule)
}

// remove deletes an object that the trial has created, and none that somebody else has created under its name since.
func (t Trial) remove(ctx context.Context, object client.Object) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	err := t.Client.Delete(ctx, object, client.Preconditions{UID: new(object.GetUID())})
	if apierrors.IsConflict(err) {
		return nil
	}
	return client.IgnoreNotFound(err)
}

// copied returns when the rule is ready and the copy has the content of the source.
func (t Trial) copied(ctx context.Context, rule *v1.Projection, source *corev1.ConfigMap) error {
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		if err := t.Client.Get(ctx, client.ObjectKeyFromObject(rule), rule); err != nil {
			return false, err
		}
		return meta.IsStatusConditionTrue(rule.Status.Conditions, v1.ConditionReady), nil
	})
	if wait.Interrupted(err) {
		if ready := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady); ready != nil {
			return fmt.Errorf("the rule of the trial is not ready: %s: %s", ready.Reason, ready.Message)
		}
		return errors.New("no operator has reconciled the rule of the trial")
	}
	if err != nil {
		return err
	}
	var written corev1.ConfigMap
	if err := t.Client.Get(ctx, t.copyKey(), &written); err != nil {
		return fmt.Errorf("the rule of the trial is ready, but its copy cannot be read: %w", err)
	}
	if written.Data["written"] != source.Data["written"] {
		return errors.New("the copy of the trial has other content than its source")
	}
	return nil
}

// deleted deletes the rule and returns when its copy is gone.
func (t Trial) deleted(ctx context.Context, rule *v1.Projection) error {
	if err := t.Client.Delete(ctx, rule); err != nil {
		return err
	}
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		err := t.Client.Get(ctx, t.copyKey(), &corev1.ConfigMap{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if wait.Interrupted(err) {
		return errors.New("the rule of the trial is deleted, but its copy is not")
	}
	return err
}

func (t Trial) copyKey() client.ObjectKey {
	return client.ObjectKey{Namespace: t.Namespace, Name: t.Name + "-copy"}
}

// matching returns labels that the selector matches.
func matching(selector labels.Selector) (labels.Set, error) {
	set := labels.Set{}
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		switch requirement.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			set[requirement.Key()] = requirement.ValuesUnsorted()[0]
		case selection.Exists:
			if !set.Has(requirement.Key()) {
				set[requirement.Key()] = "trial"
			}
		default: // no label is right for what excludes labels
		}
	}
	if !selector.Matches(set) {
		return nil, fmt.Errorf("no labels were found that match %q", selector)
	}
	return set, nil
}
