package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"fermata/pieces"
)

const (
	hangup        = syscall.SIGHUP
	jobProcessIDs = 3 // JobObjectBasicProcessIdList
	mostProcesses = 4096
)

// job is a job object that holds this process, thus every process it starts; Windows ends them all when the host's
// handle of the job closes, which a killed host's does too.
type job struct{ handle windows.Handle }

func newFamily() family { return &job{} }

func (j *job) adopt() error {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create job object: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = windows.AssignProcessToJobObject(handle, windows.CurrentProcess())
	}
	if err != nil {
		_ = windows.CloseHandle(handle)
		return fmt.Errorf("enter job object: %w", err)
	}
	j.handle = handle
	return nil
}

// bind keeps a console window from opening for the command.
func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}

func (*job) watch(int) (stop func()) { return func() {} }

func (j *job) members() ([]Survivor, error) {
	var list struct {
		assigned, listed uint32
		ids              [mostProcesses]uintptr
	}
	err := windows.QueryInformationJobObject(j.handle, jobProcessIDs,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil, fmt.Errorf("list job's processes: %w", err)
	}
	var found []Survivor
	for _, id := range list.ids[:min(list.listed, mostProcesses)] {
		pid := int(id)
		if started, err := startTime(pid); err == nil && pid != os.Getpid() {
			found = append(found, Survivor{PID: pid, StartTime: started, Command: imageName(pid)})
		}
	}
	return found, nil
}

// strike kills only: Windows has no way to ask a process without a window to end.
func (*job) strike(m Survivor, kill bool) {
	if kill {
		strikeProcess(m, true)
	}
}

func terminate(*os.Process) error { return nil }

func deathSignal(*os.ProcessState) (int, bool) { return 0, false }

// belonging lists the host alone: its job ends with it, and everything else with the job.
func belonging(host pieces.HostProcess) ([]Survivor, error) {
	return living([]Survivor{{PID: host.PID, StartTime: host.Started, Command: "agent host"}}), nil
}

func startTime(pid int) (uint64, error) {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, err
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var code uint32
	if err := windows.GetExitCodeProcess(handle, &code); err != nil {
		return 0, err
	}
	const stillActive = 259
	if code != stillActive {
		return 0, os.ErrProcessDone
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime), nil
}

// bootID is empty: a creation time on Windows is absolute.
func bootID() (string, error) { return "", nil }

func imageName(pid int) string {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return strconv.Itoa(pid)
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	name := make([]uint16, windows.MAX_PATH)
	size := uint32(len(name))
	if err := windows.QueryFullProcessImageName(handle, 0, &name[0], &size); err != nil {
		return strconv.Itoa(pid)
	}
	return windows.UTF16ToString(name[:size])
}

// openPipe takes over a handle that the app handed down, and keeps it from the command.
func openPipe(handle uintptr, name string) *os.File {
	_ = windows.SetHandleInformation(windows.Handle(handle), windows.HANDLE_FLAG_INHERIT, 0)
	return os.NewFile(handle, name)
}

// Arrange makes cmd, which runs Serve, run without a console, out of reach of its signals, and hands it the host's two
// pipes. It returns the flags that tell the host where they are. The caller closes its copies of the two files after
// the start.
func Arrange(cmd *exec.Cmd, control, report *os.File) []string {
	handles := []syscall.Handle{syscall.Handle(control.Fd()), syscall.Handle(report.Fd())}
	for _, handle := range handles {
		_ = windows.SetHandleInformation(windows.Handle(handle), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
		AdditionalInheritedHandles: handles,
	}
	return []string{
		"--control=" + strconv.FormatUint(uint64(handles[0]), 10),
		"--report=" + strconv.FormatUint(uint64(handles[1]), 10),
	}
}
