package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The callers as the book names them.
const (
	CallerOutside  = "outside"  // the person's own client
	CallerOwnAgent = "ownAgent" // an agent that Fermata runs
	CallerUnknown  = "unknown"  // it could not be found out
)

// mostArguments bounds the arguments of one row, in bytes: callers shorten them before, and this is the last line.
const mostArguments = 64 << 10

// Call is one tool call. Secrets are cut out of it before it comes here.
type Call struct {
	At      time.Time `json:"-"` // it began; the row has it
	Client  string    `json:"client"`
	Version string    `json:"version"`
	Caller  string    `json:"caller"`
	Tool    string    `json:"tool"`
	// Arguments is a JSON value.
	Arguments json.RawMessage `json:"arguments"`
	Cards     []Card          `json:"cards"` // what the person was asked, in order
	Result    string          `json:"result"`
	Message   string          `json:"message,omitempty"` // what the client read instead of a result
	MS        float64         `json:"ms"`                // milliseconds that it took
}

// Card is one question to the person, and how it ended.
type Card struct {
	Title  string `json:"title"`
	Answer string `json:"answer"`
	Note   string `json:"note,omitempty"`
}

// Row is one line of the book: a call, or a note of the book's own.
type Row struct {
	N    int       `json:"n"`    // from 1, without a gap; 0 for a line that cannot be read
	Prev string    `json:"prev"` // the hash of the row before
	At   time.Time `json:"at"`
	Note string    `json:"note,omitempty"`
	*Call
	Hash string `json:"hash,omitempty"`
}

// noHash stands before the first row.
var noHash = strings.Repeat("0", sha256.Size*2)

const (
	sealBegins = `,"hash":"`
	sealEnds   = `"}`
	sealLong   = len(sealBegins) + sha256.Size*2 + len(sealEnds)
)

// seal writes a row as its line, the newline included, and returns its hash.
func seal(r Row) (line []byte, hash string, err error) {
	r.At, r.Hash = r.At.UTC().Truncate(time.Millisecond), ""
	if r.Call != nil {
		c := *r.Call
		c.Arguments = fitting(c.Arguments)
		if c.Cards == nil {
			c.Cards = []Card{}
		}
		r.Call = &c
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, "", fmt.Errorf("encode row %d: %w", r.N, err)
	}
	body := bytes.TrimSuffix(out.Bytes(), []byte("\n"))
	hash = hashOf(body)
	line = append(body[:len(body)-1:len(body)-1], sealBegins+hash+sealEnds+"\n"...)
	return line, hash, nil
}

// fitting returns arguments that can stand in a row.
func fitting(arguments json.RawMessage) json.RawMessage {
	switch {
	case len(arguments) == 0:
		return json.RawMessage("{}")
	case len(arguments) > mostArguments:
		return json.RawMessage(fmt.Sprintf(`"[%d bytes]"`, len(arguments)))
	case !json.Valid(arguments):
		return json.RawMessage(`"[unreadable]"`)
	}
	return arguments
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// errSeal says that a line's own hash is not that of the line.
var errSeal = errors.New("it is not as it was written")

// unseal reads a line without its newline and proves its hash. The row is what could be read even so.
func unseal(line []byte) (Row, error) {
	var r Row
	if err := json.Unmarshal(line, &r); err != nil || r.N <= 0 {
		return Row{}, errors.New("it cannot be read")
	}
	if r.Call != nil {
		r.Call.At = r.At
	}
	at := len(line) - sealLong
	if at < 1 {
		return r, errSeal
	}
	body := append(line[:at:at], '}')
	if string(line[at:]) != sealBegins+hashOf(body)+sealEnds {
		return r, errSeal
	}
	return r, nil
}
