package fence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// procfs reads the kernel's tables of this network namespace.
type procfs struct{}

func newMachine() machine { return procfs{} }

const looksForSocket = 3

// owners finds the socket in the tables of connections, then who has it open. Neither table is read in one piece, so
// what is missing is looked for again.
func (procfs) owners(ctx context.Context, client, server netip.AddrPort) ([]int, error) {
	for range looksForSocket {
		inode, err := socketOf(client, server)
		if err != nil {
			return nil, err
		}
		if inode == "" {
			continue
		}
		pids, err := holders(ctx, "socket:["+inode+"]")
		if err != nil || len(pids) > 0 {
			return pids, err
		}
	}
	return nil, nil
}

// socketOf returns the inode of the client's socket; empty when there is none or its process closed it.
func socketOf(client, server netip.AddrPort) (string, error) {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(table)
		if errors.Is(err, os.ErrNotExist) {
			continue // a machine without IPv6
		}
		if err != nil {
			return "", err
		}
		for _, row := range socketRows(raw) {
			if row.local == client && row.remote == server && row.inode != "0" {
				return row.inode, nil
			}
		}
	}
	return "", nil
}

// holders lists the processes that have a file open which reads as link. Those of other users cannot be read.
func holders(ctx context.Context, link string) ([]int, error) {
	pids, err := names("/proc")
	if err != nil {
		return nil, err
	}
	var found []int
	for _, name := range pids {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if hasOpen(pid, link) {
			found = append(found, pid)
		}
	}
	return found, nil
}

func hasOpen(pid int, link string) bool {
	dir := procPath(pid, "fd")
	files, err := names(dir)
	if err != nil {
		return false
	}
	for _, fd := range files {
		if target, err := os.Readlink(filepath.Join(dir, fd)); err == nil && target == link {
			return true
		}
	}
	return false
}

func names(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return d.Readdirnames(-1)
}

// parent reads /proc/PID/stat. The command's name may hold spaces and parentheses, so fields count from its end.
func (procfs) parent(pid int) (int, error) {
	raw, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 2 {
		return 0, fmt.Errorf("read /proc/%d/stat: only %d fields", pid, len(fields))
	}
	return strconv.Atoi(fields[1])
}

func (procfs) variable(pid int, name string) string {
	raw, err := os.ReadFile(procPath(pid, "environ"))
	if err != nil {
		return ""
	}
	return variableIn(raw, name)
}

func procPath(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// peer is the process that connected, as the kernel noted it then.
func peer(fd uintptr) (int, error) {
	cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}
