package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/pieces"
)

// Addresses of what clients can read without a tool.
const (
	uriProjects        = "fermata://projects"
	uriPieces          = "fermata://pieces/"
	templatePiece      = uriPieces + "{id}"
	templateDocument   = uriPieces + "{id}/{kind}"
	templateHandoff    = uriPieces + "{id}/handoff/{taskId}"
	mimeJSON, mimeText = "application/json", "text/markdown"
)

// mostListed bounds how many pieces and documents a listing shows; the rest is read by its address.
const mostListed = 300

// errNoResource is for an address that is none of ours.
var errNoResource = errors.New("there is no such resource")

// address is what a resource's URI names.
type address struct {
	projects bool
	pieceID  string
	kind     pieces.ArtifactKind // empty: the piece itself
	taskID   string
}

func addressOf(uri string) (address, bool) {
	if uri == uriProjects {
		return address{projects: true}, true
	}
	rest, ok := strings.CutPrefix(uri, uriPieces)
	if !ok {
		return address{}, false
	}
	parts := strings.Split(rest, "/")
	a := address{pieceID: strings.ToLower(parts[0])}
	switch {
	case a.pieceID == "" || len(a.pieceID) > maxID:
		return a, false
	case len(parts) == 1:
		return a, true
	}
	a.kind = pieces.ArtifactKind(parts[1])
	if !slices.Contains(pieces.ArtifactKinds(), a.kind) || (a.kind == pieces.ArtifactHandoff) != (len(parts) == 3) {
		return a, false
	}
	if len(parts) == 3 {
		a.taskID = parts[2]
		return a, a.taskID != ""
	}
	return a, len(parts) == 2
}

func uriOf(pieceID string, kind pieces.ArtifactKind, taskID string) string {
	uri := uriPieces + pieceID
	if kind != "" {
		uri += "/" + string(kind)
	}
	if taskID != "" {
		uri += "/" + taskID
	}
	return uri
}

// addResources puts the resources on the server.
func (c *control) addResources(s *server.MCPServer) {
	s.AddResource(mcpgo.NewResource(uriProjects, "projects", mcpgo.WithResourceTitle("Projects"),
		mcpgo.WithResourceDescription("The repositories registered in Fermata, as list_projects shows them."), mcpgo.WithMIMEType(mimeJSON)), c.readResource)
	for _, t := range []struct{ uri, name, title, what, mime string }{
		{templatePiece, "piece", "Piece or draft", "One piece or draft, as get_piece shows it.", mimeJSON},
		{templateDocument, "document", "Document of a piece", "One of a piece's documents: spec, strategy, summary, learnings (markdown); analysis, codeReview, workReview (JSON).", ""},
		{templateHandoff, "handoff", "Handoff of an agent", "What one agent left for those that depend on it.", mimeJSON},
	} {
		options := []mcpgo.ResourceTemplateOption{mcpgo.WithTemplateTitle(t.title), mcpgo.WithTemplateDescription(t.what)}
		if t.mime != "" {
			options = append(options, mcpgo.WithTemplateMIMEType(t.mime))
		}
		s.AddResourceTemplate(mcpgo.NewResourceTemplate(t.uri, t.name, options...), server.ResourceTemplateHandlerFunc(c.readResource))
	}
}

// readResource answers resources/read.
func (c *control) readResource(ctx context.Context, r mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
	text, mime, err := c.resource(ctx, r.Params.URI)
	if errors.Is(err, errNoResource) {
		return nil, err
	}
	if err != nil {
		return nil, errors.New(c.sentence(ctx, "resources/read", err)) //nolint:err113 // what the client is told of it
	}
	return []mcpgo.ResourceContents{mcpgo.TextResourceContents{URI: r.Params.URI, MIMEType: mime, Text: text}}, nil
}

// resource reads what an address names.
func (c *control) resource(ctx context.Context, uri string) (text, mime string, err error) {
	a, ok := addressOf(uri)
	if !ok {
		return "", "", fmt.Errorf("%w as %s", errNoResource, clip(uri))
	}
	var v any
	switch {
	case a.projects:
		v, err = listProjects.run(c, ctx, nil)
	case a.kind == "":
		v, err = getPiece.run(c, ctx, args{"pieceId": a.pieceID})
	default:
		return c.document(ctx, a)
	}
	if err != nil {
		return "", "", err
	}
	text, err = encodeText(v)
	return text, mimeJSON, err
}

// document reads one document. One that does not exist yet is no resource yet.
func (c *control) document(ctx context.Context, a address) (text, mime string, err error) {
	v, err := c.getArtifact(ctx, args{"pieceId": a.pieceID, "kind": string(a.kind), "taskId": a.taskID})
	if err != nil {
		return "", "", err
	}
	view, ok := v.(artifactView)
	if !ok || !view.Present {
		return "", "", fmt.Errorf("%w: this piece has no %s yet", errNoResource, a.kind)
	}
	if text, ok := view.Content.(string); ok {
		return text, mimeText, nil
	}
	body, err := encode(view.Content)
	return string(body), mimeJSON, err
}

// listPieceResources adds the pieces and drafts, the latest first, and the documents of the pieces to a listing.
func (c *control) listPieceResources(ctx context.Context, _ any, r *mcpgo.ListResourcesRequest, result *mcpgo.ListResourcesResult) {
	if r.Params.Cursor != "" {
		return
	}
	list, err := c.Engine.Pieces(ctx, pieces.PieceFilter{})
	if err != nil {
		c.Log.Error("mcp list resources", "err", err)
		return
	}
	drafts, err := c.Engine.Drafts(ctx, "")
	if err != nil {
		c.Log.Error("mcp list resources", "err", err)
		return
	}
	slices.SortStableFunc(list, func(a, b pieces.Snapshot) int { return b.Piece.UpdatedAt.Compare(a.Piece.UpdatedAt) })
	var more []mcpgo.Resource
	for _, s := range list {
		more = append(more, resourcesOf(s)...)
	}
	for _, d := range slices.Backward(drafts) {
		more = append(more, mcpgo.NewResource(uriOf(d.ID, "", ""), d.Title, mcpgo.WithResourceDescription("A draft in the Backlog."), mcpgo.WithMIMEType(mimeJSON)))
	}
	result.Resources = append(result.Resources, more[:min(len(more), mostListed)]...)
}

// resourcesOf lists a piece and its documents.
func resourcesOf(s pieces.Snapshot) []mcpgo.Resource {
	p := s.Piece
	what := "A piece in " + s.Display() + "."
	if g := s.Gate(); g != pieces.GateNone {
		what = fmt.Sprintf("A piece in %s that waits at %s.", s.Display(), g)
	}
	list := []mcpgo.Resource{mcpgo.NewResource(uriOf(p.ID, "", ""), p.Name, mcpgo.WithResourceDescription(what), mcpgo.WithMIMEType(mimeJSON))}
	for _, k := range s.Has {
		if k == pieces.ArtifactHandoff {
			continue
		}
		mime := mimeJSON
		if k.Markdown() {
			mime = mimeText
		}
		list = append(list, mcpgo.NewResource(uriOf(p.ID, k, ""), p.Name+": "+string(k), mcpgo.WithMIMEType(mime)))
	}
	for _, id := range s.Handoffs {
		if t, ok := s.Task(id); ok {
			list = append(list, mcpgo.NewResource(uriOf(p.ID, pieces.ArtifactHandoff, id), p.Name+": handoff of "+t.Name, mcpgo.WithMIMEType(mimeJSON)))
		}
	}
	return list
}
