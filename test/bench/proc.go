package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc. It is 10 ms on every architecture that Linux and Kubernetes share.
const tick = 10 * time.Millisecond

// usage is what a process has used.
type usage struct {
	cpu time.Duration
	rss float64 // in MiB
}

// usageOf reads what the process has used by now.
func usageOf(pid int) (usage, error) {
	fields, err := stat(strconv.Itoa(pid))
	if err != nil {
		return usage{}, err
	}
	used := usage{cpu: fields.time(11) + fields.time(12)}
	used.rss = float64(fields.number(21)) * float64(os.Getpagesize()) / (1 << 20)
	return used, nil
}

// fields are those of /proc/<pid>/stat after the name of the program, so that the state is number 0.
type fields []string

func stat(pid string) (fields, error) {
	content, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil, fmt.Errorf("read the usage of a process, as Linux has it: %w", err)
	}
	_, rest, _ := strings.Cut(string(content[bytes.LastIndexByte(content, ')'):]), " ")
	return strings.Fields(rest), nil
}

func (f fields) number(i int) int64 {
	if i >= len(f) {
		return 0
	}
	value, err := strconv.ParseInt(f[i], 10, 64)
	if err != nil {
		return 0
	}
	return value
}

func (f fields) time(i int) time.Duration { return time.Duration(f.number(i)) * tick }

// machine is how much CPU was used on the machine since it was started.
type machine struct {
	ours, all, capacity time.Duration
}

// machineNow adds up what this process and its children used, and what everybody did.
func machineNow() (machine, error) {
	content, err := os.ReadFile("/proc/stat")
	if err != nil {
		return machine{}, fmt.Errorf("read the usage of the machine, as Linux has it: %w", err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	var m machine
	const idle, ioWait, steal = 3, 4, 7
	for i, value := range fields(strings.Fields(line)[1:])[:steal+1] {
		ticks, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return machine{}, err
		}
		m.capacity += time.Duration(ticks) * tick
		if i != idle && i != ioWait {
			m.all += time.Duration(ticks) * tick
		}
	}
	self := strconv.Itoa(os.Getpid())
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return machine{}, err
	}
	for _, path := range stats {
		pid := filepath.Base(filepath.Dir(path))
		f, err := stat(pid)
		if err != nil {
			continue // it has ended
		}
		if parent := 1; pid == self || f[parent] == self {
			m.ours += f.time(11) + f.time(12) + f.time(13) + f.time(14) // and what ended children have used
		}
	}
	return m, nil
}

// othersSince returns which share of the machine's CPU went to anybody but the bench and its children.
func (m machine) othersSince(before machine) float64 {
	capacity := m.capacity - before.capacity
	if capacity <= 0 {
		return 0
	}
	return max(0, float64((m.all-before.all)-(m.ours-before.ours))/float64(capacity))
}
