package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// sweep deletes what was created in a lent cluster: first the rules, by which the manager deletes their copies, then the
// namespaces. It returns when nothing is left.
func (s *scene) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*timeout)
	defer cancel()
	return errors.Join(
		s.clear(ctx, projections),
		s.clear(ctx, clusterProjections),
		s.clear(ctx, namespaces),
	)
}

func (s *scene) clear(ctx context.Context, resource schema.GroupVersionResource) error {
	for {
		list, err := s.api.metadata.Resource(resource).List(ctx, metav1.ListOptions{LabelSelector: ownMark})
		if err != nil {
			return fmt.Errorf("remove what was created: %w", err)
		}
		if len(list.Items) == 0 {
			return nil
		}
		err = each(len(list.Items), func(i int) error {
			item := &list.Items[i]
			if item.DeletionTimestamp != nil {
				return nil
			}
			err := s.api.delete(ctx, resource, types.NamespacedName{Namespace: item.Namespace, Name: item.Name})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("remove what was created: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("remove what was created: %d %s are left: %w", len(list.Items), resource.Resource, ctx.Err())
		case <-time.After(time.Second):
		}
	}
}
