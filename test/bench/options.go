package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"projection.sh/operator/test/env"
)

// options are what flags and the environment choose.
type options struct {
	rows       []string
	out        string
	kubeConfig string
	consent    bool
	manager    string
	scale      float64
	rest       time.Duration
	profiles   string
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rows := flags.String("rows", os.Getenv("BENCH_ROWS"),
		"Rows to run, separated by commas; empty for all but load, fleet and fleetpush: "+strings.Join(rowNames(), ", ")+". (BENCH_ROWS)")
	flags.StringVar(&o.out, "out", envOr("BENCH_OUT", "dist/bench.json"), "File that the results are written to as JSON. (BENCH_OUT)")
	flags.StringVar(&o.kubeConfig, "kubeconfig", os.Getenv("BENCH_KUBECONFIG"),
		"Measure on this cluster instead of a control plane of the bench's own. It must run no operator. Requests cannot be counted there. (BENCH_KUBECONFIG)")
	flags.BoolVar(&o.consent, "yes-this-is-a-test-cluster", false, "Say that the cluster of --kubeconfig may be filled with thousands of objects.")
	flags.StringVar(&o.manager, "manager", filepath.Join(env.Root(), "bin", "manager"), "Program to measure, for comparing two builds.")
	flags.Float64Var(&o.scale, "scale", 1, "Fraction of the sizes, for a quick look; limits are meant for 1.")
	flags.DurationVar(&o.rest, "rest", 0,
		"How long to leave the manager alone after the load, before its memory is measured once more. Events are kept for up to 12m.")
	flags.StringVar(&o.profiles, "profiles", "", "Directory for profiles of the manager's heap and goroutines in fleet and fleetpush; empty: none are taken.")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if o.kubeConfig != "" && !o.consent {
		return o, fmt.Errorf("thousands of objects would be created in the cluster of %s; say --yes-this-is-a-test-cluster if that is right", o.kubeConfig)
	}
	if o.scale <= 0 || o.scale > 1 {
		return o, fmt.Errorf("--scale: %v is not above 0 and at most 1", o.scale)
	}
	err := o.choose(*rows)
	return o, err
}

func (o *options) choose(rows string) error {
	for name := range strings.SplitSeq(rows, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case slices.Contains(rowNames(), name):
			o.rows = append(o.rows, name)
		default:
			return fmt.Errorf("there is no row %q; there are %s", name, strings.Join(rowNames(), ", "))
		}
	}
	if len(o.rows) == 0 {
		o.rows = usualRows()
	}
	return nil
}

func envOr(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

// sizes are how much there is of everything.
type sizes struct {
	kinds, guests int   // the stage "rules" has a rule for each pair of a kind and a namespace
	edits         int   // one at a time
	rounds        int   // of bursts and of edits that fan out
	fanOut        []int // ascending; the middle one is where single changes are measured
	changes       int   // single changes of each sort
	restartRules  int   // with restartCopies each
	restartCopies int
	unrelated     []int // ascending
	idle          time.Duration
	loadRules     int // with one copy each
	loadGuests    int // namespaces of the load's fan-outs
	loadTime      time.Duration
	fleetClusters int
	fleetObjects  int           // in each of them
	loadRest      time.Duration // until the memory is measured once more; 0: it is not
}

func sizesFor(scale float64) sizes {
	scaled := func(n int) int { return max(1, int(float64(n)*scale)) }
	return sizes{
		kinds: 20, guests: scaled(50),
		edits: scaled(300), rounds: 3,
		fanOut:       []int{scaled(100), scaled(1000), scaled(5000)},
		changes:      scaled(20),
		restartRules: scaled(1000), restartCopies: 10,
		unrelated: []int{scaled(10_000), scaled(50_000)},
		idle:      time.Duration(scale * float64(time.Minute)),
		loadRules: scaled(9000), loadGuests: max(loadHomes, scaled(500)),
		loadTime:      time.Duration(scale * float64(5*time.Minute)),
		fleetClusters: scaled(1000), fleetObjects: scaled(100),
	}
}

func (s sizes) ruleCount() int { return s.kinds * s.guests }
