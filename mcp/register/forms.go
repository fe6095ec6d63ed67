package register

import (
	"encoding/json"
	"fmt"
	"time"
)

// Form is the entry of this server as one other client takes it.
type Form struct {
	Client string
	Where  string // the file that Text belongs into, in words
	Text   string // holds the token
	Note   string // what keeps a call alive there while a person thinks, and what does not, as sentences
}

// Forms lists the forms of the clients beside Claude Code. They are for the person to paste: where these clients keep their
// files, and what else stands in them, is left to them.
func Forms(endpoint string) []Form {
	return []Form{
		{
			Client: "Claude Desktop",
			Where:  "claude_desktop_config.json (Settings → Developer → Edit Config)",
			Text: indented("mcpServers", command{
				Command: "npx", Args: []string{"-y", "mcp-remote", endpoint, "--transport", "http-only", "--allow-http"},
			}),
			Note: "Its file takes only commands, so mcp-remote, which needs Node.js, carries the calls to Fermata. Claude Desktop gives up " +
				"on a call after one to four minutes and has no setting for that: answer its cards sooner. A call that it gave up changes nothing.",
		},
		{
			Client: "Cursor",
			Where:  "~/.cursor/mcp.json, or .cursor/mcp.json in a project, which must not be committed: the address holds the token",
			Text:   indented("mcpServers", address{URL: endpoint}),
			Note: "Cursor has no setting for how long a call may wait. Fermata reports progress every 15 seconds, which keeps the call " +
				"alive in versions that heed it.",
		},
		{
			Client: "VS Code",
			Where:  "mcp.json (MCP: Open User Configuration), or .vscode/mcp.json in a project, which must not be committed: the address holds the token",
			Text:   indented("servers", address{Type: "http", URL: endpoint}),
			Note:   "VS Code waits for a call as long as its connection shows life. Fermata reports progress every 15 seconds, which VS Code shows meanwhile.",
		},
		{
			Client: "Codex",
			Where:  "~/.codex/config.toml",
			Text: fmt.Sprintf("[mcp_servers.%s]\nurl = %q\n# A call may wait for a person to answer: a week.\ntool_timeout_sec = %d\n",
				Name, endpoint, callTimeout*time.Millisecond/time.Second),
			Note: "tool_timeout_sec lets a call wait for a week.",
		},
	}
}

// command is an entry of a client that starts its servers itself.
type command struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// address is an entry of a client that speaks HTTP.
type address struct {
	Type string `json:"type,omitempty"`
	URL  string `json:"url"`
}

// indented is a whole file with our entry in the member that holds the servers.
func indented(member string, entry any) string {
	b, _ := json.MarshalIndent(map[string]map[string]any{member: {Name: entry}}, "", "  ") // plain values always marshal
	return string(b) + "\n"
}
