package agent_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"fermata/pieces/agent"
)

// fake is a scripted Claude Code for what the real one does too seldom, too slowly or never.
type fake struct{ in *bufio.Scanner }

type control struct {
	Type    string         `json:"type"`
	ID      string         `json:"request_id"`
	Request map[string]any `json:"request"`
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Response struct {
		ID       string         `json:"request_id"`
		Subtype  string         `json:"subtype"`
		Response map[string]any `json:"response"`
	} `json:"response"`
}

func (f *fake) read() control {
	if !f.in.Scan() {
		os.Exit(0)
	}
	var c control
	if err := json.Unmarshal(f.in.Bytes(), &c); err != nil {
		f.write(`{"type":"assistant","message":{"content":[{"type":"text","text":"unreadable line"}]}}`)
	}
	return c
}

func (*fake) write(line string) { _, _ = os.Stdout.WriteString(line + "\n") }

func (f *fake) say(text string) {
	quoted, _ := json.Marshal(text)
	f.write(`{"type":"assistant","message":{"content":[{"type":"text","text":` + string(quoted) + `}]},"parent_tool_use_id":null}`)
}

func (f *fake) result() {
	f.write(`{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":2,"total_cost_usd":0.5,"structured_output":null}`)
}

// greet answers initialize and returns its request and the first user message.
func (f *fake) greet() (first control, words string) {
	first = f.read()
	f.write(`{"type":"control_response","response":{"subtype":"success","request_id":"` + first.ID + `","response":{}}}`)
	return first, f.read().Message.Content
}

// may asks can_use_tool and returns the answer.
func (f *fake) may(id, tool, input string) map[string]any {
	f.write(`{"type":"control_request","request_id":"` + id + `","request":{"subtype":"can_use_tool","tool_name":"` + tool + `","input":` + input + `,"description":"why"}}`)
	for {
		if c := f.read(); c.Response.ID == id {
			return c.Response.Response
		}
	}
}

// rest reads until stdin is closed, and gives an interrupt the end of the turn.
func (f *fake) rest() {
	for {
		c := f.read()
		if c.Request["subtype"] == "interrupt" {
			f.write(`{"type":"control_response","response":{"subtype":"success","request_id":"` + c.ID + `"}}`)
			f.write(`{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`)
		}
	}
}

func playClaude(name string) {
	f := &fake{in: bufio.NewScanner(os.Stdin)}
	f.in.Buffer(nil, 1<<20)
	plays[name](f)
}

var plays = map[string]func(*fake){
	"echo": func(f *fake) {
		first, words := f.greet()
		for {
			facts, _ := json.Marshal(map[string]any{"args": os.Args[1:], "environ": os.Environ(), "init": first.Request})
			f.write(`{"type":"system","subtype":"init"}`)
			f.say("heard: " + words)
			f.say(string(facts))
			f.result()
			words = f.read().Message.Content
		}
	},
	"noise": func(f *fake) {
		f.write("Warning: this is no JSON")
		f.write(`{"type":`)
		f.write(`[1,2]`)
		f.write(`null`)
		f.write("")
		f.greet()
		f.write(`{"type":"from_the_future","message":"text","error":{"a":1}}`)
		f.write(`{"type":"system","subtype":"from_the_future","attempt":"x"}`)
		f.write(`{"type":"control_request","request_id":"q","request":{"subtype":"from_the_future"}}`)
		f.write(`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"x"},{"type":"new"}]}}`)
		f.write(`{"type":"assistant","message":{"content":[{"type":"text","text":"not mine"}]},"parent_tool_use_id":"toolu_1"}`)
		f.write(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Read","input":{"a":1}}]},"num_turns":"many"}`)
		f.write(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"},{"type":"image"}]}]}}`)
		f.write(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"two","is_error":true}]}}`)
		f.say("after the noise")
		f.result()
		_, _ = os.Stdout.WriteString(`{"type":"assistant","mess`)
	},
	"prompts": func(f *fake) {
		f.greet()
		for i, command := range []string{"make", "make", "make all", "make all"} {
			answer := f.may(fmt.Sprint("ask-", i), "Bash", `{"command":"`+command+`"}`)
			f.say(fmt.Sprint(i, " ", answer["behavior"], " ", answer["message"], " ", answer["updatedInput"]))
		}
		f.result()
		f.rest()
	},
	"withdrawn": func(f *fake) {
		f.greet()
		f.write(`{"type":"control_request","request_id":"ask","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"x"}}}`)
		f.write(`{"type":"control_cancel_request","request_id":"ask"}`)
		f.rest()
	},
	"hooks": func(f *fake) {
		first, words := f.greet()
		callback := strings.Contains(fmt.Sprint(first.Request["hooks"]), "ask")
		for tool := range strings.FieldsSeq(words) {
			name := map[bool]string{true: "ask", false: "fence"}[callback]
			f.write(`{"type":"control_request","request_id":"h","request":{"subtype":"hook_callback","callback_id":"` + name +
				`","input":{"tool_name":"` + tool + `","tool_input":{"command":"git status"}}}}`)
			out, _ := f.read().Response.Response["hookSpecificOutput"].(map[string]any)
			f.say(fmt.Sprint(tool, ": ", out["permissionDecision"], " ", out["permissionDecisionReason"]))
		}
		f.result()
		f.rest()
	},
	"logged out": func(f *fake) {
		f.greet()
		f.write(`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded"}`)
		f.write(`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"error_status":401,"error":"authentication_failed"}`)
		f.rest()
	},
	"limited": func(f *fake) {
		f.greet()
		f.write(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1791468000}}`)
		f.write(`{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached"}`)
		f.rest()
	},
	"refused": func(f *fake) {
		f.greet()
		f.write(`{"type":"result","subtype":"success","is_error":true,"api_error_status":500,"result":"API Error: 500 boom"}`)
		f.rest()
	},
	"crash": func(f *fake) {
		f.greet()
		fmt.Fprintln(os.Stderr, "out of ideas")
		os.Exit(3)
	},
	"no conversation": func(*fake) {
		fmt.Fprintln(os.Stderr, "No conversation found with session ID: x")
		os.Exit(1)
	},
	"deaf": func(*fake) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println(`{"type":"assistant","message":{"content":[{"type":"text","text":"deaf"}]}}`)
		time.Sleep(time.Hour)
	},
	"waits": func(f *fake) {
		f.greet()
		f.say("waiting")
		f.rest()
	},
	"broods": func(f *fake) {
		_, mark := f.greet()
		child := exec.Command("setsid", "sh", "-c", "while :; do sleep 1; done; : "+mark)
		if err := child.Start(); err != nil {
			f.say(err.Error())
		}
		f.say("brooding")
		f.rest()
	},
	"policy": func(f *fake) {
		f.greet()
		for i, tool := range []string{"Read", "mcp__x__create_draft", "Write"} {
			answer := f.may(fmt.Sprint(i), tool, `{"file_path":"/etc/x"}`)
			f.say(fmt.Sprint(tool, " ", answer["behavior"], " ", answer["message"]))
		}
		f.result()
		f.rest()
	},
}

// fakeOptions run the named play instead of Claude Code.
func fakeOptions(path, play string) agent.Options {
	environ := append(slices.Clone(os.Environ()), fakeVariable+"="+play, "FERMATA_MCP_TOKEN=secret", "GIT_DIR=/nowhere")
	return agent.Options{
		Claude:  func() string { return path },
		Environ: func() []string { return environ },
	}
}
