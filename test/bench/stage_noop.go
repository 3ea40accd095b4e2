package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"projection.sh/operator/test/env"
)

// noOp is the benchmark of a pass that finds everything in step.
const noOp = "BenchmarkNoOpReconcile"

// microBenchmarks runs the benchmark of a pass over 5,000 targets that are in step. It needs no cluster.
func (b *bench) microBenchmarks(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench=^"+noOp+"$", "-benchtime=1s", "-count=3", "./components/projector")
	cmd.Dir = env.Root()
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("run %s: %w\n%s", noOp, err, output)
	}
	for lines := bufio.NewScanner(bytes.NewReader(output)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], noOp) {
			continue
		}
		perPass, err := strconv.ParseFloat(words[2], 64)
		if err != nil {
			return fmt.Errorf("read %q: %w", lines.Text(), err)
		}
		b.report.of(theManager).put("noop.time", perPass/1e6)
	}
	return nil
}
