package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v75/github"
)

// Error is one sentence for the person, without a full stop, and the cause.
type Error struct {
	Sentence string
	Err      error
}

func (e *Error) Error() string { return e.Sentence }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// tokenPlaces says where a token is looked for.
const tokenPlaces = "Fermata takes it from `gh auth login`, else GITHUB_TOKEN, else Settings"

func unreachable(host string, err error) error {
	return &Error{Sentence: fmt.Sprintf("GitHub at %s could not be reached: %v", host, err), Err: err}
}

// explain turns what a request ended with into a sentence. what is the thing that was asked for.
func (c *client) explain(what string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var limit *github.RateLimitError
	if errors.As(err, &limit) {
		return &Error{Sentence: "GitHub's rate limit is used up until " + clock(limit.Rate.Reset.Time), Err: err}
	}
	var abuse *github.AbuseRateLimitError
	if errors.As(err, &abuse) {
		return &Error{Sentence: "GitHub asks to wait before the next request: " + abuse.Message, Err: err}
	}
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return &Error{Sentence: c.answered(what, answer), Err: err}
	}
	return unreachable(c.host, err)
}

// answered words an error that GitHub sent, with GitHub's own words in it.
func (c *client) answered(what string, e *github.ErrorResponse) string {
	said := said(e)
	switch code := e.Response.StatusCode; code {
	case http.StatusUnauthorized:
		return fmt.Sprintf("GitHub at %s refused the token (%s). %s", c.host, said, tokenPlaces)
	case http.StatusForbidden:
		if strings.Contains(e.Response.Header.Get("X-GitHub-SSO"), "required") {
			return fmt.Sprintf("GitHub at %s wants the token authorized for single sign-on before it allows %s", c.host, what)
		}
		return fmt.Sprintf("The token does not allow %s: %s", what, said)
	case http.StatusNotFound:
		return fmt.Sprintf("GitHub at %s does not show %s to this token: %s", c.host, what, said)
	case http.StatusUnprocessableEntity:
		return fmt.Sprintf("GitHub refused %s: %s", what, said)
	default:
		return fmt.Sprintf("GitHub at %s answered %s with %d: %s", c.host, what, code, said)
	}
}

// said is GitHub's message with the details, which say more than "Validation Failed" does.
func said(e *github.ErrorResponse) string {
	var details []string
	for _, d := range e.Errors {
		switch {
		case d.Message != "":
			details = append(details, strings.TrimSuffix(d.Message, "."))
		case d.Field != "":
			details = append(details, d.Field+" is "+strings.ReplaceAll(d.Code, "_", " "))
		}
	}
	switch {
	case len(details) > 0:
		return strings.Join(details, "; ")
	case e.Message != "":
		return e.Message
	}
	return http.StatusText(e.Response.StatusCode)
}

// status is the HTTP status in err; 0 without one.
func status(err error) int {
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.Response.StatusCode
	}
	return 0
}

// clock shows a time of day as the person's clock does.
func clock(t time.Time) string { return t.Local().Format("15:04") }
