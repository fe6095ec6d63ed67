package forge

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// sentence is an error that is said to the person as it stands.
type sentence string

func (s sentence) Error() string { return string(s) }

// ErrNoToken says that no token is to be found in any of the places.
const ErrNoToken = sentence("No GitHub token: run `gh auth login`, or set GITHUB_TOKEN, or save one in Settings.")

// ghLimit is how long gh may take; it asks a keychain that may wait for its owner.
const ghLimit = 10 * time.Second

// Token finds the token for a host: what gh is logged in with, else GITHUB_TOKEN, else the keychain's. A gh that is not
// installed or not logged in, and a keychain that cannot be read, are passed over. The error is ErrNoToken when there is none.
func Token(ctx context.Context, host string, keychain func() (string, error), env func(string) string) (string, error) {
	return tokenFrom(ctx, func(ctx context.Context) string { return ghToken(ctx, "gh", host) }, keychain, env)
}

func tokenFrom(ctx context.Context, gh func(context.Context) string, keychain func() (string, error), env func(string) string) (string, error) {
	if token := strings.TrimSpace(gh(ctx)); token != "" {
		return token, nil
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("find GitHub token: %w", err)
	}
	if env != nil {
		if token := strings.TrimSpace(env("GITHUB_TOKEN")); token != "" {
			return token, nil
		}
	}
	if keychain == nil {
		return "", ErrNoToken
	}
	token, err := keychain()
	if token = strings.TrimSpace(token); err == nil && token != "" {
		return token, nil
	}
	return "", ErrNoToken
}

// ghToken asks gh; empty when it has nothing to say.
func ghToken(ctx context.Context, program, host string) string {
	ctx, cancel := context.WithTimeout(ctx, ghLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "auth", "token", "--hostname="+host)
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	hide(cmd)
	if err := cmd.Run(); err != nil {
		return ""
	}
	return out.String()
}
