// Downgrade lets the operator of this tree serve what a former version has left, change everything once, and then the
// former version again. Run it by make: it needs the history, from which it builds the former version.
//
//	make test-downgrade
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/upgrade/corpus"
)

func main() {
	present := flag.String("manager", "", "the program of this tree")
	former := flag.String("former", "", "the program of the version that left the corpus")
	version := flag.String("version", "", "the name of the corpus, such as v1")
	flag.Parse()
	if err := run(context.Background(), *present, *former, *version); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, present, former, version string) (err error) {
	left, err := corpus.Load(corpus.Dir(version))
	if err != nil {
		return err
	}
	cluster, err := env.Start(env.WithCRDs(env.CRDs(), corpus.Kinds()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	if err := corpus.Restore(ctx, cluster.Storage(), left.Entries); err != nil {
		return err
	}
	steps := []struct {
		told, program, user string
		most                int // writes of each copy
		meanwhile           func(context.Context, *env.Environment) error
	}{
		{"this version takes over", present, "present", 0, nil},
		{"this version writes every copy", present, "present-at-work", 1, edit},
		{"the former version comes back", former, "former", 1, nil},
		{"the former version writes every copy", former, "former-at-work", 1, edit},
		{"this version comes back", present, "present-again", 1, nil},
	}
	for _, step := range steps {
		if err := serve(ctx, cluster, step.program, step.user, step.most, step.meanwhile); err != nil {
			return fmt.Errorf("%s: %w", step.told, err)
		}
		fmt.Println(step.told + ": as it has to be") //nolint:forbidigo // what this program is for
	}
	return nil
}

// serve runs the program until it has nothing to do, once more after the edit, and counts what it writes.
func serve(
	ctx context.Context, cluster *env.Environment, program, user string, most int, edit func(context.Context, *env.Environment) error,
) error {
	manager, err := corpus.Start(cluster, program, user)
	if err != nil {
		return err
	}
	requests, err := manager.Quiet(ctx, cluster)
	if edit != nil && err == nil {
		if err = edit(ctx, cluster); err == nil {
			requests, err = manager.Quiet(ctx, cluster)
		}
	}
	return errors.Join(err, manager.Stop(), judge(requests, most))
}

// judge returns which copies were written more often than they may be, and which were deleted. Rules are told apart.
func judge(requests []env.Request, most int) error {
	written := map[string]int{}
	var errs []error
	rules := 0
	for _, request := range corpus.Writes(requests) {
		at := request.Resource + " " + request.Namespace + "/" + request.Name
		switch {
		case request.Group == "projection.sh":
			rules++
		case request.Verb == "delete":
			errs = append(errs, fmt.Errorf("%s was deleted", at))
		default:
			if written[at]++; written[at] > most {
				errs = append(errs, fmt.Errorf("%s was written %d times", at, written[at]))
			}
		}
	}
	fmt.Printf("  %d copies written, %d writes of rules\n", len(written), rules) //nolint:forbidigo // what this program is for
	return errors.Join(errs...)
}

// edit changes every source, so that every copy is written.
func edit(ctx context.Context, cluster *env.Environment) error {
	client, err := dynamic.NewForConfig(cluster.Config)
	if err != nil {
		return err
	}
	var errs []error
	for _, resource := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "configmaps"}, {Version: "v1", Resource: "secrets"}, {Version: "v1", Resource: "services"},
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "example.com", Version: "v1", Resource: "widgets"},
	} {
		sources := client.Resource(resource).Namespace("platform")
		list, err := sources.List(ctx, metav1.ListOptions{})
		errs = append(errs, err)
		for i := range list.Items {
			bump := fmt.Appendf(nil, `{"metadata":{"labels":{"example.com/edit":"%s"}}}`, list.Items[i].GetResourceVersion())
			_, err := sources.Patch(ctx, list.Items[i].GetName(), types.MergePatchType, bump, metav1.PatchOptions{})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
