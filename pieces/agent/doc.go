// Package agent runs Claude Code sessions as subprocesses and speaks their control protocol.
package agent
