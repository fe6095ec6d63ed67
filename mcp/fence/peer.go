package fence

import (
	"fmt"
	"net"
	"syscall"
)

// Peer returns the pid of the process that connected to a local socket of ours.
func Peer(conn net.Conn) (int, error) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return 0, fmt.Errorf("find the peer: a %T has no socket", conn)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("find the peer: %w", err)
	}
	var pid int
	var failed error
	if err := raw.Control(func(fd uintptr) { pid, failed = peer(fd) }); err != nil {
		return 0, fmt.Errorf("find the peer: %w", err)
	}
	if failed != nil {
		return 0, fmt.Errorf("find the peer: %w", failed)
	}
	return pid, nil
}
