package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"fermata/mcp"
)

// A pixel and a silence, as the official suite takes them.
const (
	fixtureImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	fixtureAudio = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// serveFixtures runs our HTTP server before what the official suite wants to find on a server, and returns its URL.
func serveFixtures(t *testing.T) string {
	t.Helper()
	tools := server.NewMCPServer("fixtures", "1", server.WithToolCapabilities(false), server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(false), server.WithCompletions(), server.WithLogging(), server.WithElicitation())
	tools.EnableSampling()
	addFixtureTools(tools)
	addFixtureResources(tools)
	addFixturePrompts(tools)
	s, err := mcp.New(mcp.Options{Tools: tools, Token: mcp.NewToken(), Wrap: keptOpen})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve the fixtures: %v", err)
		}
	})
	return s.Endpoint()
}

// keptOpen is where the app checks arguments; the fixtures have nothing to check.
func keptOpen(next http.Handler) http.Handler { return next }

type fixtureHandler = func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error)

func gives(content ...mcpgo.Content) fixtureHandler {
	return func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return &mcpgo.CallToolResult{Content: content}, nil
	}
}

func textFile(uri, mime, text string) mcpgo.TextResourceContents {
	return mcpgo.TextResourceContents{URI: uri, MIMEType: mime, Text: text}
}

const richSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`

func addFixtureTools(s *server.MCPServer) {
	add := func(name string, h fixtureHandler, o ...mcpgo.ToolOption) {
		s.AddTool(mcpgo.NewTool(name, append(o, mcpgo.WithDescription("A fixture of the official suite."))...), h)
	}
	image, text := mcpgo.NewImageContent(fixtureImage, "image/png"), mcpgo.NewTextContent
	add("test_simple_text", gives(text("This is a simple text response for testing.")))
	add("test_image_content", gives(image))
	add("test_audio_content", gives(mcpgo.NewAudioContent(fixtureAudio, "audio/wav")))
	add("test_embedded_resource", gives(mcpgo.NewEmbeddedResource(textFile("test://embedded-resource", "text/plain", "This is an embedded resource content."))))
	add("test_multiple_content_types", gives(text("Multiple content types test:"), image,
		mcpgo.NewEmbeddedResource(textFile("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))))
	add("test_error_handling", func(context.Context, mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultError("This tool intentionally returns an error for testing"), nil
	})
	add("test_tool_with_progress", func(ctx context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		if r.Params.Meta == nil {
			return mcpgo.NewToolResultText("nobody listens"), nil
		}
		return tells(ctx, s, "notifications/progress", []map[string]any{
			{"progressToken": r.Params.Meta.ProgressToken, "progress": 0, "total": 100},
			{"progressToken": r.Params.Meta.ProgressToken, "progress": 50, "total": 100},
			{"progressToken": r.Params.Meta.ProgressToken, "progress": 100, "total": 100},
		})
	})
	add("test_tool_with_logging", func(ctx context.Context, _ mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return tells(ctx, s, "notifications/message", []map[string]any{
			{"level": "info", "data": "Tool execution started"},
			{"level": "info", "data": "Tool processing data"},
			{"level": "info", "data": "Tool execution completed"},
		})
	})
	s.AddTool(mcpgo.NewToolWithRawSchema("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", json.RawMessage(richSchema)), gives(text("ok")))
}

// tells sends notifications about the call and gives each time to leave: the library drops what is still queued when a
// handler returns.
func tells(ctx context.Context, s *server.MCPServer, method string, list []map[string]any) (*mcpgo.CallToolResult, error) {
	for _, params := range list {
		if err := s.SendNotificationToClient(ctx, method, params); err != nil {
			return nil, err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return mcpgo.NewToolResultText("told"), nil
}

func addFixtureResources(s *server.MCPServer) {
	s.AddResource(mcpgo.NewResource("test://static-text", "static-text", mcpgo.WithMIMEType("text/plain")),
		func(context.Context, mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
			return []mcpgo.ResourceContents{textFile("test://static-text", "text/plain", "This is the content of the static text resource.")}, nil
		})
	s.AddResource(mcpgo.NewResource("test://static-binary", "static-binary", mcpgo.WithMIMEType("image/png")),
		func(context.Context, mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
			return []mcpgo.ResourceContents{mcpgo.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: fixtureImage}}, nil
		})
	s.AddResource(mcpgo.NewResource("test://watched-resource", "watched", mcpgo.WithMIMEType("text/plain")),
		func(context.Context, mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
			return []mcpgo.ResourceContents{textFile("test://watched-resource", "text/plain", "Watched.")}, nil
		})
	s.AddResourceTemplate(mcpgo.NewResourceTemplate("test://template/{id}/data", "template", mcpgo.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return []mcpgo.ResourceContents{textFile(r.Params.URI, "application/json", fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %[1]s"}`, id))}, nil
		})
}

func addFixturePrompts(s *server.MCPServer) {
	add := func(name string, messages func(map[string]string) []mcpgo.Content, o ...mcpgo.PromptOption) {
		s.AddPrompt(mcpgo.NewPrompt(name, append(o, mcpgo.WithPromptDescription("A fixture of the official suite."))...),
			func(_ context.Context, r mcpgo.GetPromptRequest) (*mcpgo.GetPromptResult, error) {
				res := &mcpgo.GetPromptResult{}
				for _, c := range messages(r.Params.Arguments) {
					res.Messages = append(res.Messages, mcpgo.PromptMessage{Role: mcpgo.RoleUser, Content: c})
				}
				return res, nil
			})
	}
	text := mcpgo.NewTextContent
	add("test_simple_prompt", func(map[string]string) []mcpgo.Content {
		return []mcpgo.Content{text("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", func(a map[string]string) []mcpgo.Content {
		return []mcpgo.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
	}, mcpgo.WithArgument("arg1", mcpgo.RequiredArgument()), mcpgo.WithArgument("arg2", mcpgo.RequiredArgument()))
	add("test_prompt_with_embedded_resource", func(a map[string]string) []mcpgo.Content {
		return []mcpgo.Content{
			mcpgo.NewEmbeddedResource(textFile(a["resourceUri"], "text/plain", "Embedded resource content for testing.")),
			text("Please process the embedded resource above."),
		}
	}, mcpgo.WithArgument("resourceUri", mcpgo.RequiredArgument()))
	add("test_prompt_with_image", func(map[string]string) []mcpgo.Content {
		return []mcpgo.Content{mcpgo.NewImageContent(fixtureImage, "image/png"), text("Please analyze the image above.")}
	})
}
