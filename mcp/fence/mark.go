package fence

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"fermata/pieces"
)

// parseMark reads the name of a host: its pid, start time and boot, joined by colons.
func parseMark(value string) (pieces.HostProcess, error) {
	pid, rest, _ := strings.Cut(value, ":")
	started, boot, ok := strings.Cut(rest, ":")
	number, err := strconv.Atoi(pid)
	if err != nil || !ok || number <= 0 {
		return pieces.HostProcess{}, fmt.Errorf("%.100q names no agent host", value)
	}
	at, err := strconv.ParseUint(started, 10, 64)
	if err != nil {
		return pieces.HostProcess{}, fmt.Errorf("%.100q names no agent host", value)
	}
	return pieces.HostProcess{PID: number, Started: at, Boot: boot}, nil
}

// endpoint reads one end of a connection. IPv4 inside IPv6 is the IPv4 that is meant: which of the two the tables show
// depends on the kind of socket, not on the connection.
func endpoint(s string) (netip.AddrPort, error) {
	a, err := netip.ParseAddrPort(s)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("read the end of a connection: %w", err)
	}
	return plain(a), nil
}

func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}
