package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// NewToken makes a token: 32 random bytes in base64url.
func NewToken() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: the runtime ends the process instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func goodToken(t string) bool {
	if len(t) < 16 || len(t) > 256 {
		return false
	}
	for i := range len(t) {
		c := t[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// opens reports whether path is /<token>/mcp. Both sides are hashed first, so that neither the length nor the
// first wrong character of a guess can be read from the time it takes.
func (s *secret) opens(path string) bool {
	guess, tail, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	hash := sha256.Sum256([]byte(guess))
	return subtle.ConstantTimeCompare(hash[:], s.hash[:]) == 1 && tail == "mcp"
}
