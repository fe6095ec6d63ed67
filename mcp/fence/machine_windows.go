package fence

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	tableOwnerPIDAll = 5 // TCP_TABLE_OWNER_PID_ALL
	peerPIDControl   = 0x58000100
	mostEnvironment  = 1 << 20 // bytes
)

// tables asks Windows. A process that Windows started for a socket's owner is not shown to share it.
type tables struct {
	connections func(wide bool) ([]byte, error)
}

func newMachine() machine { return tables{connections: connections} }

func (t tables) owners(_ context.Context, client, server netip.AddrPort) ([]int, error) {
	var found []int
	for _, wide := range []bool{false, true} {
		table, err := t.connections(wide)
		if err != nil {
			return nil, err
		}
		found = append(found, ownerRows(table, wide, client, server)...)
	}
	return found, nil
}

// connections reads one of the two tables; it grows between the calls that tell its size and fill it.
func connections(wide bool) ([]byte, error) {
	family := uintptr(windows.AF_INET)
	if wide {
		family = windows.AF_INET6
	}
	call := windows.NewLazySystemDLL("iphlpapi.dll").NewProc("GetExtendedTcpTable")
	if err := call.Find(); err != nil {
		return nil, err
	}
	size := uint32(16 << 10)
	for {
		table := make([]byte, size)
		code, _, _ := call.Call(uintptr(unsafe.Pointer(&table[0])), uintptr(unsafe.Pointer(&size)), 0, family, tableOwnerPIDAll, 0)
		switch errno := windows.Errno(code); errno {
		case windows.ERROR_SUCCESS:
			return table, nil
		case windows.ERROR_INSUFFICIENT_BUFFER:
			size += 4 << 10
		default:
			return nil, fmt.Errorf("read the table of connections: %w", errno)
		}
	}
}

// parent trusts the recorded parent only if it was there before the child: Windows keeps the number of one that ended,
// and gives it out again.
func (tables) parent(pid int) (int, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0, fmt.Errorf("list processes: %w", err)
	}
	defer func() { _ = windows.CloseHandle(snapshot) }()
	parents := map[int]int{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		parents[int(entry.ProcessID)] = int(entry.ParentProcessID)
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return 0, fmt.Errorf("list processes: %w", err)
	}
	above, ok := parents[pid]
	if !ok {
		return 0, fmt.Errorf("process %d is gone", pid)
	}
	if _, lives := parents[above]; !lives || above <= 4 || younger(above, pid) {
		return 0, nil
	}
	return above, nil
}

// younger says whether a was made after b. What cannot be read belongs to the system, which is older.
func younger(a, b int) bool {
	first, err := created(a)
	second, alsoErr := created(b)
	return err == nil && alsoErr == nil && first > second
}

func created(pid int) (int64, error) {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var made, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &made, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	return made.Nanoseconds(), nil
}

// variable reads the environment block that the process's own memory keeps.
func (tables) variable(pid int, name string) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_INFORMATION|windows.PROCESS_VM_READ, false, uint32(pid))
	if err != nil {
		return ""
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var basic windows.PROCESS_BASIC_INFORMATION
	if windows.NtQueryInformationProcess(handle, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil) != nil {
		return ""
	}
	var peb windows.PEB
	var params windows.RTL_USER_PROCESS_PARAMETERS
	if !read(handle, uintptr(unsafe.Pointer(basic.PebBaseAddress)), unsafe.Pointer(&peb), unsafe.Sizeof(peb)) ||
		!read(handle, uintptr(unsafe.Pointer(peb.ProcessParameters)), unsafe.Pointer(&params), unsafe.Sizeof(params)) ||
		params.EnvironmentSize < 2 || params.EnvironmentSize > mostEnvironment {
		return ""
	}
	block := make([]uint16, params.EnvironmentSize/2)
	if !read(handle, uintptr(params.Environment), unsafe.Pointer(&block[0]), uintptr(len(block)*2)) {
		return ""
	}
	return variableIn([]byte(string(utf16.Decode(block))), name)
}

func read(process windows.Handle, from uintptr, to unsafe.Pointer, size uintptr) bool {
	var n uintptr
	return windows.ReadProcessMemory(process, from, (*byte)(to), size, &n) == nil && n == size
}

// peer asks for the process at the other end of a local socket (SIO_AF_UNIX_GETPEERPID).
func peer(fd uintptr) (int, error) {
	var pid, n uint32
	err := windows.WSAIoctl(windows.Handle(fd), peerPIDControl, nil, 0, (*byte)(unsafe.Pointer(&pid)), 4, &n, nil, 0)
	if err != nil {
		return 0, err
	}
	return int(pid), nil
}
