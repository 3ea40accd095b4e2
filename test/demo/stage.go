package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// Words between the story and its stage.
const (
	keepRequest = "keep\n"
	keptReply   = "kept\n"
)

// props is what the stage tells the story, as one line of JSON, when everything is ready or has failed.
type props struct {
	KubeConfig string
	// Member is the kubeconfig of the second cluster, if there is one.
	Member  string
	Failure string
}

// runStage runs the control plane and the manager until the story ends or, once kept, until it is told to stop.
func runStage(ctx context.Context, program, logs string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &staging{program: program, logs: logs, keep: hearStory(cancel)}

	err := s.run(ctx)
	if err != nil {
		err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(props{Failure: err.Error()}))
	}
	if s.held != nil {
		// Nobody else is there who would remove the logs. Whoever waits for the end waits for the lock on this file.
		err = errors.Join(err, os.RemoveAll(logs), s.held.Close())
	}
	return err
}

// operatorNamespace is where the operator publishes its settings. The plugin of kubectl reads them there.
const operatorNamespace = "projection-system"

// staging is a stage, seen from its own process.
type staging struct {
	program string // of the manager
	logs    string
	keep    <-chan struct{} // closed when the story asks to keep the stage
	held    *os.File        // the state file, once kept
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

func (s *staging) run(ctx context.Context) (err error) {
	options := []env.Option{env.WithCRDs(env.CRDs()), env.WithLogs(s.logs)}
	if keeps() { // a user may delete a namespace; the story does not, and need not wait for what ends it to be compiled
		options = append(options, env.WithControllerManager())
	}
	plane, err := env.Start(options...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()

	if _, err := plane.Kubectl(ctx, "create", "namespace", operatorNamespace); err != nil {
		return err
	}
	ready := props{KubeConfig: plane.KubeConfig}
	flags := []string{"--kubeconfig=" + plane.KubeConfig, "--leader-elect=false", "--leader-election-namespace=" + operatorNamespace}
	if hasTwoClusters() {
		member, err := env.Start()
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, member.Stop()) }()
		ready.Member, flags = member.KubeConfig, append(flags, "--remote-clusters")
	}
	operator, err := manager.StartReadyProcess(ctx, s.program, managerLog(s.logs), flags...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, operator.Stop()) }()
	if err := json.NewEncoder(os.Stdout).Encode(ready); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-operator.Ended():
			return errors.New("the manager has ended by itself")
		case <-s.keep:
			s.keep = nil
			if err := s.stay(plane.KubeConfig); err != nil {
				return err
			}
		}
	}
}

// stay outlives the story, and says so.
func (s *staging) stay(kubeConfig string) (err error) {
	if s.held, err = holdState(kubeConfig); err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(keptReply)
	return err
}
