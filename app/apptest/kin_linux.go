package apptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// kin are all that a process has started and that run now, at any depth.
func kin(pid int) []*os.Process {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var all []*os.Process
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(word)
			if err != nil {
				continue
			}
			if p, err := os.FindProcess(child); err == nil {
				all = append(all, p)
			}
			all = append(all, kin(child)...)
		}
	}
	return all
}

// endAll kills processes and waits until none of them runs: what one of them still wrote would be written into a folder that
// the test removes.
func endAll(list []*os.Process) error {
	for _, p := range list {
		if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("end process %d: %w", p.Pid, err)
		}
	}
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	late := time.After(patience)
	for len(list) > 0 {
		if !runs(list[0].Pid) {
			list = list[1:]
			continue
		}
		select {
		case <-look.C:
		case <-late:
			return fmt.Errorf("process %d was killed and runs on", list[0].Pid)
		}
	}
	return nil
}

// runs says whether a process has not ended. One that has, and that nobody has waited for, does not run.
func runs(pid int) bool {
	_, state, _ := statOf(fmt.Sprintf("/proc/%d/stat", pid))
	return state != "" && state != "Z" && state != "X"
}

func statOf(file string) (pid int, state string, parent int) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0, "", 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	_, _ = fmt.Sscan(string(raw), &pid)
	_, _ = fmt.Sscan(rest, &state, &parent)
	return pid, state, parent
}
