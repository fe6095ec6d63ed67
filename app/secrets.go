package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// The keychain's entries, all under one service.
const (
	keychainService = "Fermata"
	tokenAccount    = "mcp-token"
	gitHubAccount   = "github-token"
)

// keychainPatience bounds a keychain that waits for its own prompt.
const keychainPatience = 20 * time.Second

// errNoSecret says that no secret is kept under a name.
var errNoSecret = errors.New("no such secret")

// secrets is the one door to the keychain. Where there is none, the MCP token is kept in a file that only this user can
// read, and Place says so.
type secrets struct {
	file string
	log  *slog.Logger
	get  func(service, account string) (string, error) // keyring.Get but in tests
	set  func(service, account, value string) error    // keyring.Set but in tests

	mu    sync.Mutex
	inUse bool // the file holds the token
}

// keychain runs one keychain call off the caller's goroutine, since a locked keychain can wait for ever.
func keychain(ctx context.Context, call func() (string, error)) (string, error) {
	type result struct {
		value string
		err   error
	}
	ctx, cancel := context.WithTimeout(ctx, keychainPatience)
	defer cancel()
	done := make(chan result, 1)
	go func() {
		v, err := call()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("the keychain did not answer: %w", context.Cause(ctx))
	}
}

// token returns the MCP token, making one the first time.
func (s *secrets) token(ctx context.Context, mint func() string) (string, error) {
	v, err := keychain(ctx, func() (string, error) { return s.get(keychainService, tokenAccount) })
	switch {
	case err == nil && v != "":
		return v, nil
	case err == nil || errors.Is(err, keyring.ErrNotFound):
		// A token from a time without a keychain moves into it.
		if v, err = s.readFile(); err != nil {
			v = mint()
		}
		return v, s.setToken(ctx, v)
	}
	s.log.Warn("the keychain cannot be used; the MCP token is kept in a file", "err", err)
	if v, err = s.readFile(); err == nil {
		s.setInUse(true)
		return v, nil
	}
	if !errors.Is(err, errNoSecret) {
		return "", err
	}
	v = mint()
	return v, s.writeFile(v)
}

// setToken replaces the MCP token.
func (s *secrets) setToken(ctx context.Context, v string) error {
	_, err := keychain(ctx, func() (string, error) { return "", s.set(keychainService, tokenAccount, v) })
	if err != nil {
		s.log.Warn("the keychain cannot be used; the MCP token is kept in a file", "err", err)
		return s.writeFile(v)
	}
	s.setInUse(false)
	if err := os.Remove(s.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the token's file: %w", err)
	}
	return nil
}

func (s *secrets) readFile() (string, error) {
	b, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNoSecret
	}
	if err != nil {
		return "", fmt.Errorf("read the token's file: %w", err)
	}
	if v := strings.TrimSpace(string(b)); v != "" {
		return v, nil
	}
	return "", errNoSecret
}

func (s *secrets) writeFile(v string) error {
	if err := os.WriteFile(s.file, []byte(v+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the token's file: %w", err)
	}
	// An older file keeps the mode it was made with.
	if err := os.Chmod(s.file, 0o600); err != nil {
		return fmt.Errorf("close the token's file to others: %w", err)
	}
	s.setInUse(true)
	return nil
}

func (s *secrets) setInUse(v bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inUse = v
}

// place says where the token is kept, in words for the pane.
func (s *secrets) place() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inUse {
		return "The token is kept in " + s.file + ", since this desktop has no keychain."
	}
	return "The token is kept in your keychain."
}

// gitHub returns the GitHub token that the person saved in the keychain.
func (s *secrets) gitHub(ctx context.Context) (string, error) {
	return keychain(ctx, func() (string, error) { return s.get(keychainService, gitHubAccount) })
}
