package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Health asks the server's own endpoint for its tools, over HTTP as any client does, and returns how many there
// are. It takes at most five seconds. Its errors do not show the token.
func (s *Server) Health(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	// A client of its own: no proxy of the environment may be asked for a loopback address, let alone see the URL.
	web := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	total, cursor := 0, ""
	for {
		n, next, err := askTools(ctx, web, s.Endpoint(), cursor)
		if err != nil {
			return 0, fmt.Errorf("ask for the tools: %w", err)
		}
		total += n
		if next == "" || next == cursor {
			return total, nil
		}
		cursor = next
	}
}

func askTools(ctx context.Context, web *http.Client, endpoint, cursor string) (n int, next string, err error) {
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, "", errors.New("the endpoint is not a URL")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "fermata-health")
	resp, err := web.Do(req)
	if err != nil {
		return 0, "", withoutURL(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return 0, "", fmt.Errorf("answered %s", resp.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 32<<20))
	if err != nil {
		return 0, "", err
	}
	return countTools(raw)
}

func countTools(raw []byte) (n int, next string, err error) {
	var answer struct {
		Result *struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		} `json:"result"`
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	switch err := json.Unmarshal(raw, &answer); {
	case err != nil:
		return 0, "", fmt.Errorf("read the answer: %w", err)
	case answer.Error != nil:
		return 0, "", errors.New(answer.Error.Message)
	case answer.Result == nil:
		return 0, "", errors.New("the answer has no result")
	}
	return len(answer.Result.Tools), answer.Result.NextCursor, nil
}

// withoutURL takes the URL, which holds the token, off an error of net/http.
func withoutURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}
