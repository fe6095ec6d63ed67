package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// errRunning says that another process has the data folder.
var errRunning = errors.New("Fermata runs already with this data folder") //nolint:staticcheck // a name

// claim takes the data folder for this process. The lock goes with the process, however it ends.
func claim(f folder) (release func(), err error) {
	l := flock.New(f.lock(), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the data folder %s: %w", f, err)
	}
	if !ok {
		return nil, errRunning
	}
	return func() {
		if err := l.Unlock(); err != nil {
			slog.Debug("unlock the data folder", "err", err)
		}
	}, nil
}

// order is one line from the command line to the running app; reply is the line back.
type order struct {
	Do    string `json:"do"`
	Key   string `json:"key,omitempty"`
	Value string `json:"value,omitempty"`
}

type reply struct {
	Error string          `json:"error,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// orderPatience bounds one exchange, so that a half-open peer holds nothing; longPatience those that write many files.
const (
	orderPatience = 30 * time.Second
	longPatience  = 15 * time.Minute
)

// patience is how long the order may take.
func (o order) patience() time.Duration {
	if o.Do == orderRestore {
		return longPatience
	}
	return orderPatience
}

// listener answers the command line on a socket that only this user can open.
type listener struct {
	ln     net.Listener
	admit  func(ctx context.Context, conn net.Conn, do string) error
	handle func(ctx context.Context, o order) (any, error)
	log    *slog.Logger
	work   sync.WaitGroup
}

// ownSocket refuses a socket in the temporary folder whose own folder others can enter: somebody else may have made it
// first, to answer or to ask in our name. A folder that only they can enter stops us by itself.
func ownSocket(f folder, path string) error {
	dir := filepath.Dir(path)
	if dir == string(f) {
		return nil
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the socket's folder: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("the socket's folder %s is open to other users: remove it, or choose a shorter --data-dir", dir)
	}
	return nil
}

func listen(f folder, log *slog.Logger, admit func(context.Context, net.Conn, string) error, handle func(context.Context, order) (any, error)) (*listener, error) {
	path := f.socket()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the socket's folder: %w", err)
	}
	if err := ownSocket(f, path); err != nil {
		return nil, err
	}
	// The lock is ours, so a socket that is there belongs to a process that died.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen for the command line: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("close the socket to others: %w", err), ln.Close())
	}
	return &listener{ln: ln, admit: admit, handle: handle, log: log}, nil
}

// serve answers until close.
func (l *listener) serve(ctx context.Context) {
	for {
		conn, err := l.ln.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				l.log.Error("accept a command", "err", err)
			}
			return
		}
		l.work.Go(func() { l.answer(ctx, conn) })
	}
}

func (l *listener) answer(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(orderPatience)); err != nil {
		l.log.Debug("answer a command", "err", err)
		return
	}
	var o order
	if err := json.NewDecoder(bufio.NewReader(conn)).Decode(&o); err != nil {
		l.log.Debug("read a command", "err", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, o.patience())
	defer cancel()
	end, _ := ctx.Deadline()
	if err := conn.SetDeadline(end); err != nil {
		l.log.Debug("answer a command", "err", err)
		return
	}
	var r reply
	var v any
	err := l.admit(ctx, conn, o.Do)
	if err == nil {
		v, err = l.handle(ctx, o)
	}
	if err == nil {
		r.Value, err = json.Marshal(v)
	}
	if err != nil {
		r = reply{Error: err.Error()}
	}
	if err := json.NewEncoder(conn).Encode(r); err != nil {
		l.log.Debug("answer a command", "err", err)
	}
}

func (l *listener) close() {
	if err := l.ln.Close(); err != nil {
		l.log.Debug("close the socket", "err", err)
	}
	l.work.Wait()
}

// errNotRunning says that no app answers for the data folder.
var errNotRunning = errors.New("Fermata is not running") //nolint:staticcheck // a name

// tell sends an order to the running app and decodes its answer into v.
func tell(ctx context.Context, f folder, o order, v any) error {
	ctx, cancel := context.WithTimeout(ctx, o.patience())
	defer cancel()
	path := f.socket()
	if _, err := os.Lstat(path); err == nil {
		if err := ownSocket(f, path); err != nil {
			return err
		}
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return errNotRunning
	}
	defer conn.Close()
	end, _ := ctx.Deadline()
	if err := conn.SetDeadline(end); err != nil {
		return fmt.Errorf("ask the running app: %w", err)
	}
	if err := json.NewEncoder(conn).Encode(o); err != nil {
		return fmt.Errorf("ask the running app: %w", err)
	}
	var r reply
	if err := json.NewDecoder(conn).Decode(&r); err != nil {
		return fmt.Errorf("read the running app's answer: %w", err)
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(r.Value, v); err != nil {
		return fmt.Errorf("read the running app's answer: %w", err)
	}
	return nil
}
