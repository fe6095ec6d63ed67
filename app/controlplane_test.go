package app

import (
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fermata/pieces"
)

// TestASlowKeychainHoldsNothingUp reads the token from a keychain that does not answer: the start goes on, and the server
// gets what comes in the end, of one reading.
func TestASlowKeychainHoldsNothingUp(t *testing.T) {
	t.Parallel()
	c := planeCore(t, "true")
	kept := strings.Repeat("kept", 8)
	answer := make(chan string, 1)
	var asked atomic.Int32
	c.secrets.get = func(string, string) (string, error) {
		asked.Add(1)
		return <-answer, nil
	}
	var work sync.WaitGroup
	c.plane.readAhead(t.Context(), &work) // would not return if it waited
	answer <- kept
	work.Wait()
	token, err := c.plane.token(t.Context())
	if err != nil || token != kept || asked.Load() != 1 {
		t.Errorf("the token is %q, %v, after %d questions; want %q after one", token, err, asked.Load(), kept)
	}
}

func TestTheKeychainIsLeftAloneWhereTheServerIsOff(t *testing.T) {
	t.Parallel()
	c := planeCore(t, "false")
	c.secrets.get = func(string, string) (string, error) {
		t.Error("the keychain is asked")
		return "", nil
	}
	var work sync.WaitGroup
	c.plane.readAhead(t.Context(), &work)
	work.Wait()
}

// TestARetiredTokenIsNotServed regenerates the token between its reading and the start of the server.
func TestARetiredTokenIsNotServed(t *testing.T) {
	t.Parallel()
	c := planeCore(t, "true")
	var kept atomic.Value
	kept.Store(strings.Repeat("old0", 8))
	c.secrets.get = func(string, string) (string, error) { return kept.Load().(string), nil }
	c.secrets.set = func(_, _, value string) error {
		kept.Store(value)
		return nil
	}
	var work sync.WaitGroup
	c.plane.readAhead(t.Context(), &work)
	work.Wait()
	if err := c.plane.RegenerateToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if token, err := c.plane.token(t.Context()); err != nil || token != kept.Load() {
		t.Errorf("the server gets %q, %v; the keychain has %q", token, err, kept.Load())
	}
}

// planeCore is the object graph on an empty data folder, with the server's setting as given.
func planeCore(t *testing.T, on string) *core {
	t.Helper()
	c, err := build(t.Context(), folder(t.TempDir()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := c.engine.SetSetting(t.Context(), pieces.KeyMCPEnabled, on); err != nil {
		t.Fatal(err)
	}
	return c
}
