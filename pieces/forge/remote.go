package forge

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Remote is the repository that a remote's URL names.
type Remote struct {
	Host  string // in lower case, with a port only for http and https
	Owner string
	Name  string
}

// String is "owner/name".
func (r Remote) String() string { return r.Owner + "/" + r.Name }

var (
	scpLike = regexp.MustCompile(`^(?:[^@/\s]+@)?(\[[0-9a-fA-F:]+\]|[^:/\\\s\[\]]{2,}):(.+)$`)
	segment = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
)

// ParseRemote reads a remote's URL as configured: https, ssh, git, or git@host:owner/name. The host may be an alias from
// the ssh configuration. A path or a file URL names no repository on a server and is an error, which tells no password.
func ParseRemote(remote string) (Remote, error) {
	remote = strings.TrimSpace(remote)
	host, path := split(remote)
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if host == "" || len(parts) != 2 {
		return Remote{}, noRepository(remote)
	}
	r := Remote{Host: known(strings.ToLower(host)), Owner: parts[0], Name: strings.TrimSuffix(parts[1], ".git")}
	for _, part := range []string{r.Owner, r.Name} {
		if !segment.MatchString(part) || strings.Trim(part, ".") == "" {
			return Remote{}, noRepository(remote)
		}
	}
	return r, nil
}

func noRepository(remote string) error {
	if u, err := url.Parse(remote); err == nil && u.User != nil {
		u.User = nil
		remote = u.String()
	}
	return &Error{Sentence: fmt.Sprintf("The remote %q names no repository on a GitHub server", remote)}
}

// split takes host and path out of a remote; an empty host: there is none.
func split(remote string) (host, path string) {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil {
			return "", ""
		}
		switch u.Scheme {
		case "https", "http":
			return u.Host, u.Path
		case "ssh", "git", "git+ssh", "ssh+git":
			return u.Hostname(), u.Path
		}
		return "", ""
	}
	// A single letter before the colon is a Windows drive.
	if m := scpLike.FindStringSubmatch(remote); m != nil {
		return strings.Trim(m[1], "[]"), m[2]
	}
	return "", ""
}

// known maps the other names of GitHub's own host to the one it is known by.
func known(host string) string {
	switch host {
	case "www.github.com", "ssh.github.com", "github.com:443":
		return "github.com"
	}
	return host
}
