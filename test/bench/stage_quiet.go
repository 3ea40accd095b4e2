package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// measureStatus changes nothing but the status of a source, ten times a second. The limit is to do nothing.
func (s *scene) measureStatus(ctx context.Context) error {
	const changes, pause = 100, 100 * time.Millisecond
	done, err := s.during(ctx, func() error {
		for i := range changes {
			patch := fmt.Appendf(nil, `{"status":{"replicas":%d}}`, i+1)
			_, err := s.api.metadata.Resource(deployments).Namespace(home).
				Patch(ctx, item(0).Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
			if err != nil {
				return fmt.Errorf("change the status of a Deployment: %w", err)
			}
			if err := wait(ctx, pause); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.results.requests("status.requests", done, len(done.requests), 1)
	s.results.requests("status.writes", done, done.writes(), 1)
	s.results.put("status.cpu", done.cpu.Seconds())
	return nil
}

// measureIdle does nothing for a minute. All rules are in step.
func (s *scene) measureIdle(ctx context.Context) error {
	done, err := s.during(ctx, func() error { return wait(ctx, s.idle) })
	if err != nil {
		return err
	}
	s.results.requests("idle.requests", done, len(done.requests), 1)
	s.results.put("idle.cpu", done.cpu.Seconds())
	return nil
}

func wait(ctx context.Context, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}
