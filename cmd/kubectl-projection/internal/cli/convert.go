package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/convert"
)

const convertLong = `Write PublishedResources for those of api-syncagent (syncagent.kcp.io).

It reads files and no cluster, and changes nothing. Go templates, patterns and placeholders become CEL expressions. What has no counterpart is said on the
standard error and in comments above each resource, field by field: read them before you apply the output.

What the resources do not say are the clusters that the kind is offered to, which are the workspaces that bind the APIExport: name the RemoteClusters by
--consumers, or select them by their labels.`

const convertExample = `  # What becomes of the resources of a file
  kubectl projection convert -f published.yaml

  # Offered to the RemoteClusters with a label, in the group of the APIExport
  kubectl projection convert -f published.yaml --consumers=databases=on --group=db.example.com`

// convertFlags are the flags of the command convert.
type convertFlags struct {
	files            []string
	recursive        bool
	consumers, group string
}

func newConvert(o *options) *cobra.Command {
	var out output
	var asked convertFlags
	command := &cobra.Command{
		Use:     "convert -f FILENAME",
		Short:   "Write PublishedResources for those of api-syncagent",
		Long:    convertLong,
		Example: convertExample,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			if len(asked.files) == 0 {
				return errors.New("name files with -f")
			}
			return o.convert(asked)
		},
	}
	out.addFlags(command, formatYAML)
	flags := command.Flags()
	flags.StringSliceVarP(&asked.files, "filename", "f", nil, "Files or directories with PublishedResources of api-syncagent, or - for the standard input.")
	flags.BoolVarP(&asked.recursive, "recursive", "R", false, "Read the directories of -f with those below them.")
	flags.StringVar(&asked.consumers, "consumers", "", "Label selector of the RemoteClusters that the kinds are offered to, as kubectl get -l takes it.")
	flags.StringVar(&asked.group, "group", "", "API group for consumers of the kinds that name none: that of the APIExport.")
	return command
}

// convert writes the PublishedResources.
func (o *options) convert(asked convertFlags) error {
	options := convert.Options{Group: asked.group}
	if asked.consumers != "" {
		selector, err := metav1.ParseToLabelSelector(asked.consumers)
		if err != nil {
			return fmt.Errorf("--consumers: %w", err)
		}
		options.Consumers = &v1.ClusterTargets{Selector: clusterSelectorOf(selector)}
	}
	found, others := 0, 0
	err := o.eachInFiles(asked.files, asked.recursive, func(object *unstructured.Unstructured, _ string) error {
		if object.GroupVersionKind() != convert.SyncAgentKind {
			others++
			return nil
		}
		found++
		result, err := convert.Convert(object, options)
		if err != nil {
			return err
		}
		for _, lost := range result.Lost {
			if _, err := fmt.Fprintf(o.ErrOut, "%s: not converted: %s\n", result.Resource.Name, lost); err != nil {
				return err
			}
		}
		return result.Write(o.Out)
	})
	if err != nil {
		return err
	}
	if found == 0 {
		return errors.New("there is no PublishedResource of api-syncagent (" + convert.SyncAgentKind.GroupVersion().String() + ") in the files")
	}
	if others > 0 {
		_, err = fmt.Fprintln(o.ErrOut, count(others, "other object is", "other objects are")+" not converted")
	}
	return err
}

func clusterSelectorOf(selector *metav1.LabelSelector) *v1.ClusterSelector {
	to := &v1.ClusterSelector{MatchLabels: selector.MatchLabels}
	for _, requirement := range selector.MatchExpressions {
		to.MatchExpressions = append(to.MatchExpressions, v1.WaveSelectorRequirement{
			Key: requirement.Key, Operator: requirement.Operator, Values: requirement.Values,
		})
	}
	return to
}

// eachInFiles calls the function with each object of the files, and the name of the file.
func (o *options) eachInFiles(files []string, recursive bool, do func(object *unstructured.Unstructured, source string) error) error {
	builder := resource.NewBuilder(o.flags).Unstructured().Local().Flatten()
	var paths []string
	for _, file := range files {
		if file == "-" {
			builder = builder.Stream(o.In, "STDIN")
			continue
		}
		paths = append(paths, file)
	}
	return builder.FilenameParam(false, &resource.FilenameOptions{Filenames: paths, Recursive: recursive}).Do().Visit(
		func(info *resource.Info, err error) error {
			if err != nil {
				return err
			}
			object, isObject := info.Object.(*unstructured.Unstructured)
			if !isObject {
				return fmt.Errorf("what is in %s cannot be read", info.Source)
			}
			return do(object, info.Source)
		})
}
