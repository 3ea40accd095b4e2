package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"

	"projection.sh/operator/test/env"
)

// Words between the story and its stage.
const (
	keepRequest = "keep\n"
	keptReply   = "kept\n"
)

// props is what the stage tells the story, as one line of JSON, when everything is ready or has failed.
type props struct{ KubeConfig, Failure string }

// runStage runs the control plane and the manager until the story ends or, once kept, until it is told to stop.
func runStage(ctx context.Context, logs string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	keep := hearStory(cancel)

	err := setStage(ctx, keep, logs)
	if err != nil {
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(props{Failure: err.Error()}))
	}
	return nil
}

// hearStory ends the stage when its standard input ends before the request to keep it has come.
func hearStory(end context.CancelFunc) <-chan struct{} {
	keep := make(chan struct{})
	go func() {
		if word, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil && word == keepRequest {
			close(keep)
			return
		}
		end()
	}()
	return keep
}

func setStage(ctx context.Context, keep <-chan struct{}, logs string) (err error) {
	plane, err := env.Start(env.WithCRDs(env.CRDs()), env.WithControllerManager(), env.WithLogs(logs))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()

	manager, err := startManager(plane.KubeConfig, logs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, manager.stop()) }()

	if err := manager.waitUntilReady(ctx); err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(props{KubeConfig: plane.KubeConfig}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-manager.done:
		return errManagerEnded
	case <-keep:
	}
	held, err := holdState(plane.KubeConfig)
	if err != nil {
		return err
	}
	defer held.Close()
	return stayOn(ctx, manager, logs)
}

// stayOn outlives the story. Nobody else is there then who would remove the logs.
func stayOn(ctx context.Context, manager *manager, logs string) (err error) {
	if _, err := os.Stdout.WriteString(keptReply); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(logs)) }()
	select {
	case <-ctx.Done():
		return nil
	case <-manager.done:
		return errManagerEnded
	}
}
