package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// describeMachine names what a result depends on.
func describeMachine() string {
	memory := "memory unknown"
	if content, err := os.ReadFile("/proc/meminfo"); err == nil {
		if words := strings.Fields(string(content)); len(words) > 1 {
			if kibibytes, err := strconv.ParseFloat(words[1], 64); err == nil {
				memory = fmt.Sprintf("%.0f GiB", kibibytes/mebibyte)
			}
		}
	}
	return fmt.Sprintf("%d CPUs, %s, %s/%s, %s", runtime.NumCPU(), memory, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
