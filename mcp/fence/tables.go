package fence

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// The tables of all platforms are read here, so that every machine's tests cover them.

// socketRow is one connection of /proc/net/tcp or tcp6.
type socketRow struct {
	local, remote netip.AddrPort
	inode         string
}

func socketRows(raw []byte) []socketRow {
	var rows []socketRow
	for line := range strings.Lines(string(raw)) {
		const local, remote, inode = 1, 2, 9
		fields := strings.Fields(line)
		if len(fields) <= inode {
			continue
		}
		from, ok := kernelAddress(fields[local])
		to, alsoOK := kernelAddress(fields[remote])
		if ok && alsoOK {
			rows = append(rows, socketRow{from, to, fields[inode]})
		}
	}
	return rows
}

// kernelAddress reads an address as the kernel prints it: words of 32 bits in the machine's own order, in hex.
func kernelAddress(s string) (netip.AddrPort, bool) {
	host, port, _ := strings.Cut(s, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	raw, alsoErr := hex.DecodeString(host)
	if err != nil || alsoErr != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(raw, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	addr, ok := netip.AddrFromSlice(raw)
	return plain(netip.AddrPortFrom(addr, uint16(number))), ok
}

// variableIn finds a variable in an environment whose entries end with NUL.
func variableIn(environ []byte, name string) string {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// lsofOwners reads what `lsof -F pn` prints: a line p<pid> for each process, then a line n<name> for each of its files.
func lsofOwners(out []byte, client, server netip.AddrPort) []int {
	var found []int
	pid := 0
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "p"):
			pid, _ = strconv.Atoi(line[1:])
		case strings.HasPrefix(line, "n"):
			from, to, _ := strings.Cut(line[1:], "->")
			local, err := endpoint(from)
			remote, alsoErr := endpoint(to)
			if err == nil && alsoErr == nil && local == client && remote == server && pid > 0 && !slices.Contains(found, pid) {
				found = append(found, pid)
			}
		}
	}
	return found
}

// variableInArgs finds a variable in what macOS keeps of a process's start (kern.procargs2): the count of arguments, the
// program's path, padding, the arguments, the environment.
func variableInArgs(raw []byte, name string) string {
	if len(raw) < 4 {
		return ""
	}
	count := binary.NativeEndian.Uint32(raw)
	_, rest, _ := bytes.Cut(raw[4:], []byte{0})
	rest = bytes.TrimLeft(rest, "\x00")
	for ; count > 0 && len(rest) > 0; count-- {
		_, rest, _ = bytes.Cut(rest, []byte{0})
	}
	return variableIn(rest, name)
}

// Layout of the rows of Windows's tables of connections with their owners.
const (
	tcpRow4 = 24 // state, local address and port, remote address and port, pid
	tcpRow6 = 56 // local address, scope and port, remote address, scope and port, state, pid
)

// ownerRows finds the owners of a connection in a table of GetExtendedTcpTable: a count, then the rows.
func ownerRows(table []byte, wide bool, client, server netip.AddrPort) []int {
	if len(table) < 4 {
		return nil
	}
	size := tcpRow4
	if wide {
		size = tcpRow6
	}
	count, rows := binary.LittleEndian.Uint32(table), table[4:]
	var found []int
	for ; count > 0 && len(rows) >= size; count-- {
		row := rows[:size]
		rows = rows[size:]
		local, remote, pid := row4(row)
		if wide {
			local, remote, pid = row6(row)
		}
		if local == client && remote == server {
			found = append(found, pid)
		}
	}
	return found
}

func row4(row []byte) (local, remote netip.AddrPort, pid int) {
	return windowsAddress(row[4:8], row[8:10]), windowsAddress(row[12:16], row[16:18]), int(binary.LittleEndian.Uint32(row[20:]))
}

func row6(row []byte) (local, remote netip.AddrPort, pid int) {
	return windowsAddress(row[:16], row[20:22]), windowsAddress(row[24:40], row[44:46]), int(binary.LittleEndian.Uint32(row[52:]))
}

// windowsAddress reads an address and a port in the order of the network.
func windowsAddress(host, port []byte) netip.AddrPort {
	addr, _ := netip.AddrFromSlice(host)
	return plain(netip.AddrPortFrom(addr, binary.BigEndian.Uint16(port)))
}
