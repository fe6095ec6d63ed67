package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"fermata/mcp/control"
	"fermata/pieces"
)

// Names of clients that the chaos takes for somebody in particular; all others are the person's.
const (
	chaosAgent    = "own-agent"
	chaosStranger = "stranger"
)

// chaosClient is one MCP client that knows no restraint. It speaks raw HTTP, so that it can hang up, cancel and repeat
// as no library would.
type chaosClient struct {
	t       *testing.T
	w       *chaosWorld
	name    string
	http    *http.Client
	session string
	ids     int
}

// chaosReply is what came back for a call.
type chaosReply struct {
	text   string
	failed bool // a tool error
	code   int  // of a JSON-RPC error
}

// object is the reply's JSON; nil when it is none.
func (r chaosReply) object() map[string]any {
	var v map[string]any
	if r.failed || r.code != 0 || json.Unmarshal([]byte(r.text), &v) != nil {
		return nil
	}
	return v
}

func (c *chaosClient) post(ctx context.Context, message map[string]any) (*http.Response, error) {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.w.server.Endpoint(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return c.http.Do(req)
}

func (c *chaosClient) initialize(ctx context.Context) error {
	res, err := c.post(ctx, map[string]any{"id": 0, "method": "initialize", "params": map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": c.name, "version": "1"},
	}})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	c.session = res.Header.Get("Mcp-Session-Id")
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// errNoAnswer says that the server ended a call without an answer, as it does for one that was cancelled.
var errNoAnswer = errors.New("no answer")

// ask calls a tool and reads its answer, whichever way it comes.
func (c *chaosClient) ask(ctx context.Context, id int, tool string, args map[string]any) (chaosReply, error) {
	params := map[string]any{"name": tool, "arguments": args}
	if chance(50) {
		params["_meta"] = map[string]any{"progressToken": id}
	}
	res, err := c.post(ctx, map[string]any{"id": id, "method": "tools/call", "params": params})
	if err != nil {
		return chaosReply{}, err
	}
	defer res.Body.Close()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			return chaosReply{}, err
		}
		return replyOf(raw, id)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || bytes.Contains(data, []byte("notifications/progress")) {
			continue
		}
		return replyOf(data, id)
	}
	if err := lines.Err(); err != nil {
		return chaosReply{}, err
	}
	return chaosReply{}, errNoAnswer
}

func replyOf(raw []byte, id int) (chaosReply, error) {
	var m struct {
		ID     int `json:"id"`
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			IsError bool `json:"isError"`
		} `json:"result"`
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return chaosReply{}, fmt.Errorf("answer %q: %w", raw, err)
	}
	if m.ID != id {
		return chaosReply{}, fmt.Errorf("the answer to %d is for %d: %s", id, m.ID, raw)
	}
	if m.Error.Code != 0 {
		return chaosReply{text: m.Error.Message, code: m.Error.Code}, nil
	}
	if len(m.Result.Content) != 1 {
		return chaosReply{}, fmt.Errorf("answer %q has no text", raw)
	}
	return chaosReply{text: m.Result.Content[0].Text, failed: m.Result.IsError}, nil
}

// call calls a tool with well formed arguments, and now and then gives up on it. The reply is empty then.
func (c *chaosClient) call(ctx context.Context, tool string, args map[string]any) chaosReply {
	c.ids++
	id := c.ids
	gaveUp := false
	switch {
	case chance(10):
		var hangUp context.CancelFunc
		ctx, hangUp = context.WithTimeout(ctx, time.Duration(rand.IntN(300))*time.Millisecond)
		defer hangUp()
		gaveUp = true
	case chance(10):
		gaveUp = true
		timer := time.AfterFunc(time.Duration(rand.IntN(300))*time.Millisecond, func() { c.cancel(ctx, id) })
		defer timer.Stop()
	}
	r, err := c.ask(ctx, id, tool, args)
	switch {
	case gaveUp || ctx.Err() != nil:
	case err != nil:
		c.t.Errorf("%s: %s %v: %v", c.name, tool, args, err)
	case r.code != 0:
		c.t.Errorf("%s: %s %v: error %d %s", c.name, tool, args, r.code, r.text)
	case r.failed && strings.HasPrefix(r.text, "Something went wrong in Fermata"):
		c.t.Errorf("%s: %s %v: %s", c.name, tool, args, r.text)
	case c.name == chaosAgent && !r.failed && isWrite(tool):
		c.t.Errorf("an own agent was let through: %s %v: %s", tool, args, r.text)
	default:
		c.w.calls.Add(1)
		if err := c.w.promised(tool, r); err != nil {
			c.t.Errorf("%s: %s %v answers %s: %v", c.name, tool, args, r.text, err)
		}
	}
	return r
}

func (c *chaosClient) cancel(ctx context.Context, id int) {
	res, err := c.post(ctx, map[string]any{"method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
	if err == nil {
		res.Body.Close()
	}
}

func isWrite(tool string) bool {
	for _, t := range control.WriteTools() {
		if t == tool {
			return true
		}
	}
	return false
}

// run does one thing after the other until ctx ends.
func (c *chaosClient) run(ctx context.Context, until <-chan struct{}) {
	defer c.http.CloseIdleConnections()
	if err := c.initialize(ctx); err != nil {
		c.t.Errorf("%s: initialize: %v", c.name, err)
		return
	}
	deeds := []func(context.Context){
		c.draft, c.change, c.follow, c.follow, c.follow, c.follow, c.follow, c.follow, c.stab, c.look, c.cues, c.garble,
	}
	for {
		select {
		case <-until:
			return
		default:
		}
		deeds[rand.IntN(len(deeds))](ctx)
	}
}

func pick[T any](list ...T) T { return list[rand.IntN(len(list))] }

// draft files or releases an item under an id that other clients use as well.
func (c *chaosClient) draft(ctx context.Context) {
	n := rand.IntN(len(c.w.ids))
	args := map[string]any{"id": c.w.ids[n], "cwd": c.w.repo.Path}
	if chance(20) {
		args["prompt"], args["name"] = "Make the thing", fmt.Sprint("Item ", n)
		c.call(ctx, "create_piece", args)
		return
	}
	args["spec"], args["lane"] = fmt.Sprintf("# Item %d\n\nMake it.\n", n), pick("manual", "manual", "auto", "loop")
	args["refine"], args["release"] = pick("none", "if_gaps", "always"), chance(60)
	if chance(20) {
		args["seed"], args["title"] = "Make it", fmt.Sprint("Item ", n)
		delete(args, "spec")
	}
	c.call(ctx, "create_draft", args)
}

// change edits, deletes or releases a draft that may be one no more.
func (c *chaosClient) change(ctx context.Context) {
	id := pick(c.w.ids...)
	switch rand.IntN(4) {
	case 0:
		c.call(ctx, "update_draft", map[string]any{"draftId": id, "lane": pick("manual", "auto"), "seed": pick("", "Make it soon")})
	case 1:
		c.call(ctx, "cancel_draft", map[string]any{"draftId": id})
	default:
		c.call(ctx, "release_draft", map[string]any{"draftId": id})
	}
}

// follow does what a piece allows at this moment.
func (c *chaosClient) follow(ctx context.Context) {
	id := pick(c.w.ids...)
	p := c.call(ctx, "get_piece", map[string]any{"pieceId": id}).object()
	if p == nil || p["kind"] != "piece" {
		return
	}
	legal, _ := p["legalActions"].([]any)
	if len(legal) == 0 {
		return
	}
	action, _ := pick(legal...).(string)
	// Archived pieces are out of the game, so that happens rarely.
	if action == string(pieces.Archive) && !chance(30) {
		return
	}
	c.act(ctx, id, action, p)
}

// stab tries any action on any piece.
func (c *chaosClient) stab(ctx context.Context) {
	id := pick(c.w.ids...)
	rule := pick(pieces.Rules()...)
	if rule.Action == pieces.Archive && !chance(30) {
		return
	}
	p := c.call(ctx, "get_piece", map[string]any{"pieceId": id}).object()
	c.act(ctx, id, string(rule.Action), p)
}

func (c *chaosClient) act(ctx context.Context, id, action string, p map[string]any) {
	args := map[string]any{"pieceId": id, "action": action}
	task := "nobody"
	if tasks, _ := p["tasks"].([]any); len(tasks) > 0 {
		t, _ := pick(tasks...).(map[string]any)
		task, _ = t["id"].(string)
	}
	switch pieces.Action(action) {
	case pieces.InterviewMessage:
		args["prompt"] = "Make it better"
	case pieces.ApproveSpec:
		args["lane"] = pick("manual", "auto")
	case pieces.SetLane:
		args["lane"] = pick("manual", "auto", "loop")
	case pieces.EditTaskBrief:
		args["taskId"], args["prompt"] = task, "Another brief"
	case pieces.MessageTask, pieces.AnswerTaskQuestion:
		args["taskId"], args["text"] = task, "This"
	case pieces.ApproveTask, pieces.ResumeTask:
		args["taskId"] = task
	case pieces.RequestChanges:
		args["text"] = "Change it"
	case pieces.RetryFailedAgents, pieces.SendBackToAgents:
		if chance(30) {
			args["taskIds"] = []string{task}
		}
	case pieces.CreatePR:
		if chance(50) {
			args["title"] = "It"
		}
	case pieces.AddDependency, pieces.RemoveDependency:
		args["blocker"] = pick(c.w.ids...)
	default:
	}
	if chance(5) {
		args["dryRun"] = true
	}
	c.call(ctx, "piece_action", args)
}

// look reads.
func (c *chaosClient) look(ctx context.Context) {
	id := pick(c.w.ids...)
	switch rand.IntN(9) {
	case 0:
		c.call(ctx, "list_pieces", map[string]any{"cwd": c.w.repo.Path, "includeArchived": chance(50)})
	case 1:
		c.call(ctx, "list_projects", nil)
	case 2:
		c.call(ctx, "list_echoes", nil)
	case 3:
		c.call(ctx, "get_artifact", map[string]any{"pieceId": id, "kind": pick("spec", "strategy", "summary", "learnings", "analysis", "codeReview", "workReview")})
	case 4:
		c.call(ctx, "open_piece_workspace", map[string]any{"pieceId": id})
	case 5:
		c.call(ctx, "reveal", map[string]any{"pieceId": id})
	case 6:
		c.call(ctx, "register_project", map[string]any{"path": c.w.repo.Path})
	default:
		all := c.call(ctx, "list_sessions", map[string]any{"includeHidden": chance(50)}).object()
		if rows, _ := all["sessions"].([]any); len(rows) > 0 {
			s, _ := pick(rows...).(map[string]any)
			c.call(ctx, "get_session", map[string]any{"sessionId": s["id"], "transcriptLimit": rand.IntN(201)})
		}
	}
}

// cues reads what needs the person, and snoozes some of it.
func (c *chaosClient) cues(ctx context.Context) {
	groups, _ := c.call(ctx, "list_cues", nil).object()["groups"].([]any)
	for _, g := range groups {
		group, _ := g.(map[string]any)
		items, _ := group["items"].([]any)
		if len(items) == 0 || !chance(20) {
			continue
		}
		item, _ := pick(items...).(map[string]any)
		c.call(ctx, "snooze_cue", map[string]any{"target": item["target"], "fingerprint": item["fingerprint"]})
	}
}

// garble sends arguments that no tool takes.
func (c *chaosClient) garble(ctx context.Context) {
	c.ids++
	tool, args := "get_piece", map[string]any{"pieceId": 7}
	switch rand.IntN(4) {
	case 0:
		tool, args = "piece_action", map[string]any{"pieceId": pick(c.w.ids...), "action": "merge"}
	case 1:
		tool, args = "create_draft", map[string]any{"spec": "x\x00", "cwd": c.w.repo.Path}
	case 2:
		tool, args = "release_draft", map[string]any{"draftId": pick(c.w.ids...), "force": true}
	}
	r, err := c.ask(ctx, c.ids, tool, args)
	fenced := c.name == chaosAgent && r.failed && r.text == control.SentenceOwnAgent
	if err == nil && r.code != -32602 && !fenced {
		c.t.Errorf("%s: garbled %s %v: %+v", c.name, tool, args, r)
	}
	if err != nil && ctx.Err() == nil {
		c.t.Errorf("%s: garbled %s: %v", c.name, tool, err)
	}
}
