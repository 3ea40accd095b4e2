package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const timeout = 30 * time.Second

// sighting is a change of a ConfigMap, and when the watch told it.
type sighting struct {
	at     time.Time
	change watch.EventType
	object *corev1.ConfigMap
}

// observer sees every change of every ConfigMap, in the API server's order, through one watch. So the time between two
// sightings is the time between two changes, and no polling blurs it.
type observer struct{ sightings chan sighting }

func observe(ctx context.Context, kubeConfig string) (*observer, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeConfig)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	configMaps, err := client.CoreV1().ConfigMaps(corev1.NamespaceAll).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("watch ConfigMaps: %w", err)
	}
	o := &observer{sightings: make(chan sighting, 1000)}
	go func() {
		defer close(o.sightings)
		for event := range configMaps.ResultChan() {
			if object, ok := event.Object.(*corev1.ConfigMap); ok {
				o.sightings <- sighting{at: time.Now(), change: event.Type, object: object}
			}
		}
	}()
	return o, nil
}

// next returns the next sighting of the change, and passes over all that comes before.
func (o *observer) next(ctx context.Context, change watch.EventType, namespace, name string) (sighting, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout,
		fmt.Errorf("ConfigMap %s/%s was not seen %s within %s", namespace, name, change, timeout))
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return sighting{}, context.Cause(ctx)
		case seen, open := <-o.sightings:
			if !open {
				return sighting{}, errors.New("the watch of the ConfigMaps has ended")
			}
			if seen.change == change && seen.object.Namespace == namespace && seen.object.Name == name {
				return seen, nil
			}
		}
	}
}
