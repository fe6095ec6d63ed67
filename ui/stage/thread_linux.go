package stage

import "syscall"

// thread is the system's number of the calling thread.
func thread() int { return syscall.Gettid() }
