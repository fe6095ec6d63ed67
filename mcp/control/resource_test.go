package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/pieces"
	"fermata/pieces/signal"
)

// ask sends one request to the library behind Checked, over HTTP, and decodes its result or its error's code and message.
func (k *rig) ask(method string, params any, into any) (code int, words string) {
	k.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		k.t.Fatal(err)
	}
	h := Options{Engine: k.engine}.Checked(server.NewStreamableHTTPServer(k.server, server.WithStateLess(true), server.WithDisableStreaming(true)))
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	raw, err := io.ReadAll(w.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	var answer struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		k.t.Fatalf("%s: %v", raw, err)
	}
	if answer.Error != nil {
		return answer.Error.Code, answer.Error.Message
	}
	if into != nil {
		if err := json.Unmarshal(answer.Result, into); err != nil {
			k.t.Fatalf("%s: %v", answer.Result, err)
		}
	}
	return 0, ""
}

type contents struct {
	Contents []struct{ URI, MIMEType, Text string }
}

func TestResourcesReadWhatTheToolsRead(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	p := &k.engine.pieces[0]
	p.Handoffs = []string{taskID}
	k.engine.artifacts[pieces.ArtifactHandoff] = `{"changed":"a"}`
	for uri, want := range map[string]struct{ mime, text string }{
		"fermata://projects":                                 {mimeJSON, k.call("list_projects", values{}).text},
		"fermata://pieces/" + pieceID:                        {mimeJSON, k.call("get_piece", values{"pieceId": pieceID}).text},
		"fermata://pieces/" + strings.ToUpper(pieceID):       {mimeJSON, k.call("get_piece", values{"pieceId": pieceID}).text},
		"fermata://pieces/" + draftID:                        {mimeJSON, k.call("get_piece", values{"pieceId": draftID}).text},
		"fermata://pieces/" + pieceID + "/spec":              {mimeText, "# Upload retry"},
		"fermata://pieces/" + pieceID + "/handoff/" + taskID: {mimeJSON, `{"changed":"a"}`},
	} {
		var got contents
		if code, words := k.ask("resources/read", values{"uri": uri}, &got); code != 0 {
			t.Errorf("%s: %d %s", uri, code, words)
			continue
		}
		if len(got.Contents) != 1 || got.Contents[0].URI != uri || got.Contents[0].MIMEType != want.mime || got.Contents[0].Text != want.text {
			t.Errorf("%s: %+v", uri, got)
		}
	}
}

func TestAResourceThatIsNotThereIsSaidNotToBe(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	for _, uri := range []string{
		"fermata://pieces/nope", "fermata://pieces/" + pieceID + "/strategy", "fermata://pieces/" + pieceID + "/plan", "fermata://pieces/" + pieceID + "/handoff",
		"fermata://pieces/" + pieceID + "/handoff/nope", "fermata://pieces/" + pieceID + "/spec/more", "fermata://pieces/", "fermata://pieces", "file:///etc/passwd", "",
		"fermata://pieces/" + strings.Repeat("x", 500),
	} {
		if code, words := k.ask("resources/read", values{"uri": uri}, nil); code != mcpgo.RESOURCE_NOT_FOUND {
			t.Errorf("%s: %d %s", uri, code, words)
		}
	}
	k.engine.err = errors.New("disk")
	if code, words := k.ask("resources/read", values{"uri": "fermata://projects"}, nil); code != mcpgo.INTERNAL_ERROR || !strings.Contains(words, sentenceFault) || strings.Contains(words, "disk") {
		t.Errorf("a fault: %d %s", code, words)
	}
}

func TestListedResourcesCanBeRead(t *testing.T) {
	t.Parallel()
	k := newRig(t)
	var list struct {
		Resources []struct{ URI, Name, Description string }
	}
	k.ask("resources/list", values{}, &list)
	var uris []string
	for _, r := range list.Resources {
		uris = append(uris, r.URI)
		if code, words := k.ask("resources/read", values{"uri": r.URI}, nil); code != 0 || r.Name == "" {
			t.Errorf("%+v: %d %s", r, code, words)
		}
	}
	if want := []string{uriProjects, uriPieces + pieceID, uriPieces + pieceID + "/spec", uriPieces + draftID}; !slices.Equal(uris, want) {
		t.Errorf("listed %v", uris)
	}
	var templates struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	k.ask("resources/templates/list", values{}, &templates)
	if len(templates.ResourceTemplates) != 3 {
		t.Errorf("templates %+v", templates)
	}
	k.engine.change(func() {
		for range 1000 {
			k.engine.pieces = append(k.engine.pieces, k.engine.pieces[0])
		}
	})
	k.ask("resources/list", values{}, &list)
	if len(list.Resources) != 1+mostListed {
		t.Errorf("%d resources are listed", len(list.Resources))
	}
}

// watched is the fake engine with a wake.
type watched struct {
	*fakeEngine
	hub signal.Hub
}

func (w *watched) Watch() (<-chan struct{}, func()) { return w.hub.Watch() }

func (w *watched) change(do func()) {
	w.fakeEngine.change(do)
	w.hub.Wake()
}

func TestChangesAreAnnouncedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var said []string
		w := &watched{fakeEngine: newFake()}
		n := Announcer{Engine: w, Notify: func(method string, params any) error {
			mu.Lock()
			defer mu.Unlock()
			if p, ok := params.(map[string]any); ok {
				method += " " + p["uri"].(string)
			}
			said = append(said, strings.TrimPrefix(method, "notifications/resources/"))
			return nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { n.Run(ctx) })
		synctest.Wait()
		expect := func(what string, want ...string) {
			t.Helper()
			time.Sleep(3 * time.Second)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(said, want) {
				t.Errorf("%s: said %v, want %v", what, said, want)
			}
			said = nil
		}
		piece := &w.pieces[0]
		expect("nothing")
		w.change(func() { piece.Piece.Version++ })
		w.change(func() { piece.Piece.Version++ })
		expect("a cost that grew", "updated "+uriPieces+pieceID)
		w.change(func() { piece.HistoryID++ })
		expect("a transition", "updated "+uriPieces+pieceID, "updated "+uriPieces+pieceID+"/spec")
		w.change(func() { piece.Prompts = []pieces.Prompt{{ID: "q"}} })
		expect("a question", "updated "+uriPieces+pieceID)
		w.change(func() { piece.Has = append(piece.Has, pieces.ArtifactStrategy) })
		expect("a new document", "list_changed")
		w.change(func() { piece.Piece.Archived = true })
		expect("an archived piece", "list_changed")
		w.change(func() { w.projects[0].Branch = "next" })
		expect("a project", "updated "+uriProjects)
		w.change(func() {
			piece.Piece.Archived = false
			for range 100 {
				s := *piece
				s.Piece.ID = string(rune('a'+len(w.pieces)%26)) + strings.Repeat("x", len(w.pieces))
				w.pieces = append(w.pieces, s)
			}
		})
		expect("many new", "list_changed")
		w.change(func() {
			for i := range w.pieces {
				w.pieces[i].Piece.Version++
			}
		})
		expect("more than a slow client takes", "list_changed")
		w.hub.Wake()
		expect("a wake without a change")
		cancel()
		run.Wait()
	})
}
