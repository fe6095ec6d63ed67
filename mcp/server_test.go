package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	good := Options{Tools: k.tools(), Token: testToken}
	rows := []struct {
		name   string
		change func(*Options)
		ok     bool
	}{
		{"good", func(*Options) {}, true},
		{"IPv6 loopback", func(o *Options) { o.Addr = "::1" }, true},
		{"no tools", func(o *Options) { o.Tools = nil }, false},
		{"no token", func(o *Options) { o.Token = "" }, false},
		{"short token", func(o *Options) { o.Token = "short" }, false},
		{"token with a slash", func(o *Options) { o.Token = testToken + "/x" }, false},
		{"token with a percent", func(o *Options) { o.Token = testToken + "%2f" }, false},
		{"all addresses", func(o *Options) { o.Addr = "0.0.0.0" }, false},
		{"network address", func(o *Options) { o.Addr = "192.168.1.2" }, false},
		{"name", func(o *Options) { o.Addr = "localhost" }, false},
	}
	for _, row := range rows {
		o := good
		row.change(&o)
		if _, err := New(o); (err == nil) != row.ok {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	if a, b := NewToken(), NewToken(); a == b || !goodToken(a) || len(a) != 43 {
		t.Errorf("tokens %q %q", a, b)
	}
}

func TestPortFallsBackToTheNextNineThenToAny(t *testing.T) {
	t.Parallel()
	base := tenFreePorts(t)
	var held []net.Listener
	take := func(port int) {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Skipf("port %d was taken meanwhile: %v", port, err)
		}
		held = append(held, ln)
		t.Cleanup(func() { ln.Close() })
	}
	listen := func() int {
		s, err := New(Options{Tools: (&rig{}).tools(), Token: testToken})
		if err != nil {
			t.Fatal(err)
		}
		port, err := s.Listen(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Endpoint(); got != fmt.Sprintf("http://127.0.0.1:%d/%s/mcp", port, testToken) {
			t.Errorf("endpoint %q", got)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		return port
	}
	if got := listen(); got != base {
		t.Errorf("preferred %d, got %d", base, got)
	}
	take(base)
	if got := listen(); got != base+1 {
		t.Errorf("first taken: got %d, want %d", got, base+1)
	}
	for p := base + 1; p < base+10; p++ {
		take(p)
	}
	if got := listen(); got >= base && got < base+10 {
		t.Errorf("all taken: got %d", got)
	}
	_ = held
}

// tenFreePorts finds a run of ports that nothing listens on, below the range that the system hands out.
func tenFreePorts(t *testing.T) int {
	t.Helper()
	for base := 20000 + int(time.Now().UnixNano()/1000%8000); base < 32000; base += 10 {
		free := 0
		for p := base; p < base+10; p++ {
			if ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", p)); err == nil {
				ln.Close()
				free++
			}
		}
		if free == 10 {
			return base
		}
	}
	t.Skip("no ten free ports")
	return 0
}

func TestHealthCountsTheToolsOverHTTP(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil) // its list comes in pages of three
	if n, err := k.s.Health(context.Background()); n != 4 || err != nil {
		t.Errorf("health %d %v", n, err)
	}
	if st := k.s.Status(); !st.Running || st.Port == 0 || st.Err != nil || st.Tools != 4 {
		t.Errorf("status %+v", st)
	}
}

func TestCloseAnswersWaitingCallsFirst(t *testing.T) {
	t.Parallel()
	denied := make(chan struct{})
	var k *rig
	k = newRig(t, func(o *Options, _ *limits) {
		o.BeforeClose = func() {
			close(denied)
			for range 2 {
				k.release <- "denied"
			}
		}
	})
	waiting := want(t, k.start(context.Background(), toolCall(1, "wait", nil, 1), nil), "the head")
	want(t, k.started, "the waiting call")
	silent := k.start(context.Background(), toolCall(2, "silent", nil, 1), nil)
	want(t, k.started, "the silent call")

	begin := time.Now()
	if err := k.s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	want(t, denied, "BeforeClose")
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("close took %v", d)
	}
	all, err := io.ReadAll(waiting.Body)
	if err != nil || !strings.Contains(string(all), `"text":"denied"`) {
		t.Errorf("waiting call got %v %s", err, all)
	}
	resp := want(t, silent, "the silent answer")
	if resp == nil {
		t.Fatal("the silent call was cut")
	}
	if b, _ := io.ReadAll(resp.Body); !strings.Contains(string(b), `"text":"denied"`) {
		t.Errorf("silent call got %s", b)
	}
	if len(k.causes) > 0 {
		t.Errorf("a call was cancelled: %v", <-k.causes)
	}
	if _, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", k.s.Status().Port)); err == nil {
		t.Error("the port still answers")
	}
	if k.s.Status().Running {
		t.Error("status says running")
	}
}

func TestCloseCutsCallsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(_ *Options, l *limits) { l.grace = 50 * time.Millisecond })
	stream := k.do(k.request(context.Background(), http.MethodGet, "", header{"Accept": "text/event-stream"}))
	waiting := want(t, k.start(context.Background(), toolCall(1, "wait", nil, 1), nil), "the head")
	if err := k.s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := want(t, k.causes, "the cut"); !errors.Is(err, ErrServerStopping) {
		t.Errorf("cause %v", err)
	}
	if b, err := io.ReadAll(waiting.Body); err != nil || !strings.Contains(string(b), `"error":{"code":-32000`) {
		t.Errorf("the call got %v %s", err, b)
	}
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestCloseReportsAHandlerThatNeverReturns(t *testing.T) {
	t.Parallel()
	k := newRig(t, func(_ *Options, l *limits) { l.grace, l.last = time.Millisecond, 10*time.Millisecond })
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	k.s.inner = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		k.started <- nil
		<-stuck
	})
	k.start(context.Background(), ping, nil)
	want(t, k.started, "the call")
	if err := k.s.Close(context.Background()); err == nil || !strings.Contains(err.Error(), "1 calls") {
		t.Errorf("close said %v", err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Tools: (&rig{}).tools(), Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(context.Background()); err == nil {
		t.Error("serves without listening")
	}
	if _, err := s.Listen(0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	if _, err := s.Health(context.Background()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := want(t, done, "the end of Serve"); err != nil {
		t.Error(err)
	}
	if _, err := s.Health(context.Background()); err == nil {
		t.Error("answers after the end")
	}
}

func TestNewTokenCutsEverybodyOff(t *testing.T) {
	t.Parallel()
	k := newRig(t, nil)
	old := k.s.Endpoint()
	waiting := want(t, k.start(context.Background(), toolCall(1, "wait", nil, 1), nil), "the head")
	stream := k.do(k.request(context.Background(), http.MethodGet, "", header{"Accept": "text/event-stream"}))
	idle, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", k.s.Status().Port))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	_, _ = fmt.Fprintf(idle, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", k.s.Status().Port)
	one := make([]byte, 1)
	if _, err := idle.Read(one); err != nil {
		t.Fatal(err)
	}

	if err := k.s.SetToken("not/a/token-but-long-enough"); err == nil {
		t.Error("took a bad token")
	}
	fresh := NewToken()
	if err := k.s.SetToken(fresh); err != nil {
		t.Fatal(err)
	}
	if err := want(t, k.causes, "the cut"); !errors.Is(err, ErrTokenRetired) {
		t.Errorf("cause %v", err)
	}
	for name, r := range map[string]io.Reader{"waiting": waiting.Body, "stream": stream.Body, "idle": idle} {
		if !reads(r) {
			t.Errorf("%s connection stays open", name)
		}
	}
	if !strings.HasSuffix(k.s.Endpoint(), "/"+fresh+"/mcp") {
		t.Error("the endpoint has the old token")
	}
	if resp, _ := k.post(ping, nil); resp.StatusCode != 200 {
		t.Errorf("new token: %d", resp.StatusCode)
	}
	resp, err := http.Post(old, "application/json", strings.NewReader(ping))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 404 {
		t.Errorf("old token: %d", resp.StatusCode)
	}
}

// reads reports whether r comes to an end soon.
func reads(r io.Reader) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, r)
	}()
	select {
	case <-done:
		return true
	case <-time.After(soon):
		return false
	}
}

// TestNothingRunsAfterClose is not parallel: it counts goroutines.
func TestNothingRunsAfterClose(t *testing.T) {
	before := ours()
	k := newRig(t, func(_ *Options, l *limits) { l.grace = time.Millisecond })
	k.do(k.request(context.Background(), http.MethodGet, "", header{"Accept": "text/event-stream"}))
	for i := range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		k.start(ctx, toolCall(i, "wait", nil, 1), nil)
		want(t, k.started, "the call")
		if i%2 == 0 {
			cancel()
			want(t, k.causes, "the hang-up")
		} else {
			defer cancel()
		}
		k.post(toolCall(100, "echo", nil, nil), nil)
	}
	if err := k.s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(soon); ours() > before+1; runtime.Gosched() { // the rig's own Serve may be ending
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("left running:\n%s", buf[:runtime.Stack(buf, true)])
		}
	}
}

// ours counts the goroutines that run code of the server.
func ours() int {
	buf := make([]byte, 4<<20)
	n := 0
	for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "mcp.(*Server)") || strings.Contains(g, "mcp.(*reply)") || strings.Contains(g, "net/http.(*conn).serve") {
			n++
		}
	}
	return n
}
