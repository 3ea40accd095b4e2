// Record runs the operator of one version against a control plane and writes down what it leaves there. Run it by make:
//
//	make record-corpus CORPUS=v1 COMMIT=<commit>
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/upgrade/corpus"
)

func main() {
	manager := flag.String("manager", "", "the program of the operator")
	definitions := flag.String("crds", "", "the directory of the definitions that it came with")
	commit := flag.String("commit", "", "the commit that it was built from")
	version := flag.String("version", "", "the name of the corpus, such as v1")
	flag.Parse()
	if err := record(context.Background(), *manager, &corpus.Corpus{Commit: *commit, Definitions: *definitions}, corpus.Dir(*version)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func record(ctx context.Context, program string, into *corpus.Corpus, dir string) (err error) {
	cluster, err := env.Start(env.WithCRDs(into.Definitions, corpus.Kinds()), env.WithControllerManager())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	c, err := env.NewClient(cluster.Config)
	if err != nil {
		return err
	}
	manager, err := corpus.Start(cluster, program, "operator")
	if err != nil {
		return err
	}
	if err := play(ctx, c); err != nil {
		manager.Kill()
		return err
	}
	if _, err := manager.Quiet(ctx, cluster); err != nil {
		manager.Kill()
		return err
	}
	manager.Kill()
	if into.Entries, err = corpus.Dump(ctx, cluster.Storage(), corpus.Prefixes()...); err != nil {
		return err
	}
	into.Entries = slices.DeleteFunc(into.Entries, func(e corpus.Entry) bool { return strings.HasSuffix(e.Key, "/kube-root-ca.crt") })
	if into.Objects, err = corpus.Read(ctx, cluster.Config); err != nil {
		return err
	}
	return into.Save(dir)
}
